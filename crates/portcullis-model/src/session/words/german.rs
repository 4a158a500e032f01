//! German.

use super::{Acts, Language, Role};

/// The words of German.
pub(in crate::session) static GERMAN: Language = Language {
    phrases: &[
        (
            Acts::DELETE,
            "wirf … weg, werfe … weg, schmeiss … weg, raum … weg, mach … weg, fahr … runter, fahre … herunter, schalt … ab, \
             schalte … ab, leere den, leere die, leere das",
        ),
        (Acts::SEND, "sag … bescheid, gib … bescheid, gebe … bescheid, leite … weiter"),
        (Acts::SHARE, "gib … frei, gebe … frei, gib … zugriff, gebe … zugriff, lade … ein"),
        (
            Acts::PUBLISH,
            "roll … aus, rolle … aus, stell … bereit, lade … hoch, lad … hoch, spiel … ein, bring … live",
        ),
        (Acts::RUN, "fuhr … aus, fuhre … aus, lass … laufen"),
    ],
    is_spaced: true,
    acts: &[
        (
            Acts::READ,
            "zeige zeig lies lese suche such finde find liste prufe pruf schau schaue erklare vergleiche analysiere ruf \
             hole",
        ),
        (
            Acts::CHANGE,
            "anderung anderungen umsetzen setze \
             erstelle erstell erstellen leg lege anlegen fuge hinzu hinzufugen andere andern anderst aktualisiere \
             aktualisieren schreibe schreib schreiben bearbeite bearbeiten setze setz setzen verschiebe verschieben benenne \
             umbenennen speichere speichern trage eintragen ersetze ersetzen passe anpassen korrigiere behebe repariere \
             plane planen erganze erganzen kopiere mache mach raume raum aufraumen",
        ),
        (
            Acts::DELETE,
            "losche losch loschen loscht geloscht entferne entfernen entfern beende beenden stoppe stopp stoppen verwirf \
             verwerfen breche abbrechen storniere stornieren kundige kundigen leere leeren zerstore vernichte widerrufe \
             aufraumen raume",
        ),
        (
            Acts::SEND,
            "sende senden schicke schick schicken verschicke verschicken maile mailen antworte antworten leite weiterleiten \
             benachrichtige informiere melde poste schreibe schreib sag sage rufe anrufen ubermittle",
        ),
        (
            Acts::SHARE,
            "teile teilen lade einladen gib gewahre gewahren erlaube erlauben freigeben berechtige",
        ),
        (
            Acts::PAY,
            "zahle zahl zahlen bezahle bezahlen uberweise uberweisen kaufe kauf kaufen bestelle bestellen buche buchen \
             reserviere reservieren erstatte erstatten spende spenden",
        ),
        (
            Acts::PUBLISH,
            "veroffentliche veroffentlichen pushe push pushen deploye deployen merge mergen bereitstellen freigeben \
             ausrollen hochladen",
        ),
        (
            Acts::RUN,
            "fuhre ausfuhren starte start starten installiere installieren teste testen baue bauen lass laufen",
        ),
        (
            Acts::ADMINISTER,
            "passwort kennwort sperre sperren entsperre entsperren aktiviere aktivieren deaktiviere deaktivieren \
             berechtigung berechtigungen rechte einstellungen zuruckset*",
        ),
        (Acts::COMMIT, "committe committen commit"),
    ],
    roles: &[
        (Role::Please, "bitte"),
        (Role::Anything, "nichts irgendetwas irgendwas"),
        (Role::Not, "nicht nichts kein keine keinen keinem niemals nie ohne"),
        (Role::Forget, "vergiss vergessen vergesse"),
        (Role::Only, "nur lediglich ausschliesslich"),
        (Role::Ask, "frag frage fragen ruckfrage nachfrage zustimmung bestatigung erlaubnis"),
        (
            Role::Touch,
            "anfassen anfasst beruhren ruhre anruhren verandern verandere andern andere anderst bearbeite bearbeiten",
        ),
        (Role::Demand, "musst muss sollst soll jetzt sofort du sie"),
        (Role::And, "und dann aber auch oder"),
    ],
};
