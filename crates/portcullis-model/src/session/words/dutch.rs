//! Dutch.

use super::{Acts, Language, Role};

/// The words of Dutch.
pub(in crate::session) static DUTCH: Language = Language {
    phrases: &[],
    is_spaced: true,
    acts: &[
        (Acts::READ, "toon lees zoek vind bekijk controleer geef vergelijk leg"),
        (
            Acts::CHANGE,
            "wijzigingen maak maken wijzig wijzigen verander veranderen voeg toevoegen schrijf schrijven bewerk bewerken plan plannen \
             verplaats hernoem vervang bewaar zet werk bijwerken pas aanpassen repareer",
        ),
        (
            Acts::DELETE,
            "verwijder verwijderen wis wissen stop stoppen annuleer annuleren beeindig gooi weggooien opruimen ruim",
        ),
        (
            Acts::SEND,
            "stuur sturen verstuur versturen verzend mail mailen antwoord beantwoord meld bericht informeer",
        ),
        (Acts::SHARE, "deel delen uitnodigen nodig geef toegang"),
        (
            Acts::PAY,
            "betaal betalen koop kopen bestel bestellen boek boeken reserveer overmaken maak terugbetalen stort",
        ),
        (Acts::PUBLISH, "publiceer publiceren push pushen merge mergen deploy deployen uitrollen"),
        (
            Acts::RUN,
            "voer uitvoeren draai draaien start starten installeer installeren test testen bouw",
        ),
        (
            Acts::ADMINISTER,
            "wachtwoord blokkeer deblokkeer activeer deactiveer schakel rechten instellingen",
        ),
        (Acts::COMMIT, "commit committen"),
    ],
    roles: &[
        (Role::Please, "alsjeblieft gelieve"),
        (Role::Anything, "niets iets"),
        (Role::Not, "niet niets geen nooit zonder"),
        (Role::Forget, "vergeet vergeten"),
        (Role::Only, "alleen slechts uitsluitend"),
        (Role::Ask, "vraag vragen toestemming bevestiging overleg"),
        (Role::Touch, "verander wijzig aanraken aankomen raak wijzigen veranderen kom"),
        (Role::Demand, "graag moet je nu "),
        (Role::And, "en dan maar ook of"),
    ],
};
