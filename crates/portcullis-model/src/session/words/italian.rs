//! Italian.

use super::{Acts, Language, Role};

/// The words of Italian.
pub(in crate::session) static ITALIAN: Language = Language {
    phrases: &[],
    is_spaced: true,
    acts: &[
        (
            Acts::READ,
            "mostra mostrare leggi leggere cerca cercare trova elenca controlla verifica guarda riassumi spiega confronta",
        ),
        (
            Acts::CHANGE,
            "modifiche cambiamenti applica crea creare aggiungi aggiungere modifica modificare cambia cambiare scrivi scrivere aggiorna aggiornare sposta \
             rinomina sostituisci salva correggi programma metti sistema copia",
        ),
        (
            Acts::DELETE,
            "elimina eliminare cancella cancellare rimuovi rimuovere ferma fermare annulla annullare termina distruggi \
             svuota pulisci pulire scarta",
        ),
        (
            Acts::SEND,
            "invia inviare manda mandare spedisci rispondi rispondere inoltra avvisa informa notifica pubblica scrivi",
        ),
        (Acts::SHARE, "condividi condividere invita invitare concedi autorizza permetti dai"),
        (
            Acts::PAY,
            "paga pagare compra comprare trasferisci trasferire ordina prenota prenotare rimborsa bonifica dona",
        ),
        (Acts::PUBLISH, "pubblica pubblicare carica distribuisci unisci push merge rilascia fare"),
        (
            Acts::RUN,
            "esegui eseguire avvia avviare installa installare prova provare compila lancia",
        ),
        (
            Acts::ADMINISTER,
            "password attiva attivare disattiva disattivare blocca sblocca reimposta permessi account impostazioni",
        ),
        (Acts::COMMIT, "commit committare"),
    ],
    roles: &[
        (Role::Please, "favore prego"),
        (Role::Anything, "niente nulla"),
        (Role::Not, "non mai senza nessun nessuna niente nulla"),
        (Role::Forget, "dimenticare dimenticarti scordare"),
        (Role::Only, "solo soltanto unicamente"),
        (Role::Ask, "chiedere chiedi conferma permesso approvazione chiedermi"),
        (Role::Touch, "toccare tocca modificare modifica cambiare cambia"),
        (Role::Demand, "devi deve bisogna adesso ora"),
        (Role::And, "e poi ma anche o"),
    ],
};
