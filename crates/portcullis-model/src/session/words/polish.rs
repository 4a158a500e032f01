//! Polish.

use super::{Acts, Language, Role};

/// The words of Polish.
pub(in crate::session) static POLISH: Language = Language {
    phrases: &[],
    is_spaced: true,
    acts: &[
        (
            Acts::READ,
            "pokaz przeczytaj znajdz szukaj wyszukaj wymien sprawdz zobacz wyjasnij porownaj",
        ),
        (
            Acts::CHANGE,
            "zmian zmiany utworz stworz dodaj dodac zmien zmienic zmieniaj edytuj edytowac zaktualizuj napisz zapisz przenies nazwij \
             zamien popraw napraw zaplanuj ustaw",
        ),
        (
            Acts::DELETE,
            "usun usunac usuwaj skasuj kasuj zatrzymaj anuluj odwolaj zakoncz zniszcz wyczysc odrzuc",
        ),
        (
            Acts::SEND,
            "wyslij wyslac wysylaj odpowiedz przeslij przekaz powiadom poinformuj opublikuj napisz",
        ),
        (Acts::SHARE, "udostepnij udostepniaj zapros zaprosic nadaj przyznaj pozwol"),
        (Acts::PAY, "zaplac zaplacic kup kupic przelej zamow zarezerwuj zwroc wplac"),
        (Acts::PUBLISH, "opublikuj publikuj wypchnij pushuj push wdroz wdrazaj scal merguj wydaj"),
        (Acts::RUN, "uruchom uruchamiaj wykonaj zainstaluj instaluj przetestuj testuj zbuduj"),
        (
            Acts::ADMINISTER,
            "haslo wlacz wylacz zablokuj odblokuj zresetuj uprawnienia konto ustawienia",
        ),
        (Acts::COMMIT, "commituj commit"),
    ],
    roles: &[
        (Role::Please, "prosze"),
        (Role::Anything, "nic niczego"),
        (Role::Not, "nie nigdy bez zadnych zadnego nic"),
        (Role::Forget, "zapomnij zapominaj"),
        (Role::Only, "tylko jedynie wylacznie"),
        (Role::Ask, "pytania zapytaj pytaj potwierdzenia zgody pozwolenia"),
        (Role::Touch, "dotykaj ruszaj zmieniaj"),
        (Role::Demand, "musisz nalezy teraz trzeba"),
        (Role::And, "i potem ale takze lub oraz"),
    ],
};
