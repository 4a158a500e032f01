//! Money that the person wants back with who paid it: "refund the 10.00 that I just got". Owns how such words are read, and who paid as the tool
//! shows it that keeps the account.
//!
//! Who pays decides where it goes back to, and that is no way in: it is the very amount that they paid. So only one payer of that amount counts.

use serde::{Deserialize, Serialize};

use super::{
    act::Acts,
    digest::Mark,
    doing::{Doing, Part},
    fields,
    heard::Source,
    lexicon::folded,
    token,
};

/// How many amounts are kept.
const AMOUNTS: usize = 8;

/// The words by which money goes back, those that need `back` beside them, and that.
static BACK: &str = "refund refunds erstatte erstatten zuruckerstatten zuruckuberweisen zuruckzahlen \
    rembourse rembourser remboursez reembolsa reembolsar devuelve devolver rimborsa \
    rimborsare reembolse devolva zwroc верни верните";
static GIVE: &str = "give pay send transfer wire betaal zahle schicke";
static WAY: &str = "back terug zuruck";

/// The words for what came in: who only reimburses somebody pays what was never paid to them.
static CAME: &str = "came deposit from got incoming paid payment received sent transfer bekam bekommen \
    erhalten von recibi recu ricevuto ontvangen van de recebi od от";

/// What tools are named after that show payments.
static PLACES: &[&str] = &[
    "activity",
    "history",
    "incoming",
    "ledger",
    "movements",
    "payments",
    "statement",
    "statements",
    "transactions",
    "transfers",
];

/// The fields that say how much came in, and from whom.
static AMOUNT: &[&str] = &["amount", "sum", "value", "total"];
static PAYER: &[&str] = &[
    "sender",
    "from",
    "payer",
    "debtor",
    "senderiban",
    "senderaccount",
    "fromaccount",
    "fromiban",
    "payeriban",
    "payeraccount",
    "debtoraccount",
    "debtoriban",
];

/// What the person wants to go back, and who paid it.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Returned {
    amounts: Vec<Back>,
}

/// An amount in hundredths.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
struct Back {
    amount: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    payer: Option<u64>,
    /// Whether several paid as much.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_torn: bool,
}

impl Returned {
    pub(super) const NOTHING: Self = Self { amounts: Vec::new() };

    pub(super) fn is_empty(&self) -> bool {
        self.amounts.is_empty()
    }

    /// Reads what a person sent.
    pub(super) fn person_sent(&mut self, text: &str) {
        for clause in token::clauses(text) {
            let words: Vec<String> =
                token::tokens(clause).map(|token| folded(token.text)).collect();
            let says = |list: &str| {
                list.split_ascii_whitespace().any(|known| words.iter().any(|word| word == known))
            };
            if !(says(BACK) || says(GIVE) && says(WAY)) || !says(CAME) {
                continue;
            }
            let mut amounts =
                token::tokens(clause).filter_map(|token| token::amount(token.text)).peekable();
            let Some(amount) = amounts.next() else { continue };
            let is_one = amounts.peek().is_none() && amount > 0;
            let is_new = !self.amounts.iter().any(|back| back.amount == amount);
            if is_one && is_new && self.amounts.len() < AMOUNTS {
                self.amounts.push(Back { amount, ..Back::default() });
            }
        }
    }

    /// Reads what a call of a tool answered.
    pub(super) fn answered(&mut self, source: &Source, text: &str) {
        let tool = source.from.split('`').nth(1).unwrap_or_default();
        let mut words = tool.split(|letter: char| !letter.is_alphanumeric()).map(folded);
        if self.amounts.is_empty() || !words.any(|word| PLACES.contains(&word.as_str())) {
            return;
        }
        let records = fields::records(text);
        if records.is_none() {
            self.amounts.iter_mut().for_each(|back| back.is_torn = true);
        }
        for record in records.into_iter().flatten() {
            let mut all = record.called(AMOUNT).filter_map(token::amount);
            let (Some(amount), None) = (all.next(), all.next()) else { continue };
            let Some(back) = self.amounts.iter_mut().find(|back| back.amount == amount) else {
                continue;
            };
            let mut payers = record.called(PAYER).map(|payer| Mark::of(payer).0);
            let Some(payer) = payers.next() else { continue };
            back.is_torn |=
                payers.next().is_some() || back.payer.is_some_and(|known| known != payer);
            back.payer = Some(payer);
        }
    }

    /// Whether this pays an amount that the person wants back with who paid it, to them.
    #[must_use]
    pub fn pays_back(&self, doing: &Doing<'_>) -> bool {
        let mut amounts = doing.given.iter().filter_map(|given| match given.part {
            Part::Amount => Some(token::amount(given.text)),
            Part::Cents => Some(token::amount(given.text).map(|amount| amount / 100)),
            _ => None,
        });
        let mut reached = doing
            .given
            .iter()
            .filter(|given| given.part == Part::Recipient && !given.text.is_empty());
        let (Some(Some(amount)), None) = (amounts.next(), amounts.next()) else { return false };
        let (Some(whom), None) = (reached.next(), reached.next()) else { return false };
        let payer = Mark::of(whom.text).0;
        doing.acts.meet(Acts::PAY)
            && self
                .amounts
                .iter()
                .any(|back| back.amount == amount && back.payer == Some(payer) && !back.is_torn)
    }
}
