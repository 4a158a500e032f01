//! Documents that the person named for what is to be done: "do what the mail of ann@corp.example with the subject 'To do' asks for". Owns how such
//! words are read, which answer shows the document, and how far that goes.
//!
//! A document can be written by anybody who may write there. So it is believed only where the person named it by what is its own (a title, a file, an
//! address, a number), where the one record that bears all of that was read and spoke to no agent, and only for changes and for messages to those whom
//! the person said themselves: whom something reaches, what is paid, deleted, shared or run, no document decides.

use serde::{Deserialize, Serialize};

use super::{
    SessionState,
    act::Acts,
    asked::Asked,
    digest::{Mark, Marks},
    doing::{Doing, Part},
    fields::{self, Fields},
    heard::{Source, demands_of},
    lexicon::{acts_of_name, folded},
    token,
};

/// How many documents are kept, by how many names each, and how many of their words.
const DOCUMENTS: usize = 8;
const KEYS: usize = 6;
const WORDS: usize = 128;

/// How many words lie between "do" and "the tasks".
const BETWEEN: usize = 4;

/// What a document may decide.
const MAY: Acts = Acts::CHANGE.and(Acts::SEND);

/// The words by which somebody wants something done as it is said elsewhere.
static DO: &str = "act care carry complete do execute finish follow fulfil fulfill handle implement perform \
    process through befolge bearbeite erledige fuhre mach mache effectue fais faites realise \
    suis suivez ejecuta haz realiza sigue completa esegui fai segui faca siga doe volg voer \
    wykonaj zrob выполни сделай yap uygula";

/// The words for what is to be done.
static TASKS: &str = "actions instructions items points requests steps tasks to-do to-dos todo todos \
    anweisungen aufgaben schritte punkte consignes taches etapes acciones instrucciones \
    pasos tareas attivita azioni compiti istruzioni passi tarefas instrucoes acoes passos \
    instructies stappen taken zadania instrukcje kroki задачи инструкции шаги gorevleri \
    talimatlari";

/// The words for whatever it is, where something says or asks it.
static WHATEVER: &str = "all everything what whatever was alles";
static SAYS: &str = "asked asks describes lists requests requires said says tells wants wrote verlangt sagt \
    steht bittet";

/// What may stand between them.
static FILLERS: &str = "action all of on open my our out remaining the these those upon with alle die den der \
    les des toutes las los le gli i as os de tous todas todos bitte down";

/// The words that begin a question about a document, and those that forbid.
static ASKS: &str = "did does how if is are was were what when where which who why welche welcher wer wie \
    wann quels quelles comment que cuales come quali как какие";
static NOT: &str = "don't dont not never without cannot can't nicht keine niemals ohne ne pas jamais sans no \
    nunca sin non mai senza nao niet nooit geen nie не никогда unless before shouldn't \
    ignore";

/// The fields that say what a record is called, and who wrote it.
static TITLES: &[&str] = &["filename", "key", "name", "path", "subject", "summary", "title", "url"];
static WRITERS: &[&str] = &["author", "by", "from", "sender"];

/// The documents that the person named.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Delegated {
    documents: Vec<Document>,
}

/// A document by what the person said of it.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
struct Document {
    /// Its titles, files and numbers.
    keys: Vec<u64>,
    /// The addresses of who wrote it.
    people: Vec<u64>,
    /// What the one that was read is known by.
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<u64>,
    acts: Acts,
    words: Marks<WORDS>,
    values: Marks<WORDS>,
    /// Whether two bear these names, or what was read spoke to an agent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_torn: bool,
}

impl Delegated {
    pub(super) const NOTHING: Self = Self { documents: Vec::new() };

    pub(super) fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Reads what a person sent. What they said before was about what they wanted then.
    pub(super) fn person_sent(&mut self, text: &str) {
        for clause in token::clauses(text) {
            let words: Vec<String> =
                token::tokens(clause).map(|token| folded(token.text)).collect();
            if !delegates(&words) {
                continue;
            }
            let Some([keys, people]) = keys(clause) else { continue };
            self.documents.retain(|known| known.keys != keys || known.people != people);
            // One more than is kept is meant by nobody: what it asks for is asked about.
            if self.documents.len() < DOCUMENTS {
                self.documents.push(Document { keys, people, ..Document::default() });
            }
        }
    }

    /// Reads what a call of a tool answered.
    pub(super) fn answered(
        &mut self,
        source: &Source,
        text: &str,
        asked: &Asked,
        is_planted: bool,
    ) {
        if self.documents.is_empty() {
            return;
        }
        let Some(records) = fields::records(text) else {
            self.documents.iter_mut().for_each(|document| document.is_torn = true);
            return;
        };
        let named: Vec<u64> = source.about.iter().flat_map(|about| names_of(about)).collect();
        let tool = source.from.split('`').nth(1).unwrap_or(&source.from);
        // What the tool shows, by the words of its name behind the verb: `list_emails`.
        let mut shows = tool.split(|letter: char| !letter.is_alphanumeric()).skip(1);
        let is_about = shows.any(|word| word.len() > 3 && asked.said_word(&folded(word)));
        for document in &mut self.documents {
            document.shown(&records, &named, is_about, is_planted);
        }
    }

    /// The acts that documents ask for which were read, as far as they may.
    fn acts(&self) -> Acts {
        self.read().fold(Acts::NONE, |acts, document| acts.and(document.acts.only(MAY)))
    }

    /// Whether a document that was read says this value.
    pub(super) fn says(&self, value: &str) -> bool {
        let mark = Mark::of(value);
        self.read().any(|document| document.values.has(mark))
    }

    /// Whether a document that was read speaks of one of these.
    fn speaks_of(&self, words: &[String]) -> bool {
        let mut things = words.iter().filter(|word| {
            word.len() > 3 && acts_of_name(std::iter::once(word.as_str())).is_empty()
        });
        things.any(|word| {
            let mark = Mark::of(word);
            self.read().any(|document| document.words.has(mark))
        })
    }

    fn read(&self) -> impl Iterator<Item = &Document> {
        self.documents.iter().filter(|document| document.read.is_some() && !document.is_torn)
    }
}

impl Document {
    /// Looks for the document among records of an answer to a call that named these.
    fn shown(&mut self, records: &[Fields], named: &[u64], is_about: bool, is_planted: bool) {
        let all = || self.keys.iter().chain(&self.people);
        if !all().any(|key| named.contains(key)) && !is_about {
            return;
        }
        let bears = |record: &&Fields| {
            let own: Vec<u64> = record.list.iter().flat_map(|(_, value)| names_of(value)).collect();
            all().all(|key| own.contains(key))
        };
        // The one answer to a call that named all of it, where that says nothing else of itself.
        let speaks_against = |record: &Fields, names: &[&str], keys: &[u64]| {
            let mut own = record.called(names).flat_map(names_of).peekable();
            !keys.is_empty() && own.peek().is_some() && !own.any(|name| keys.contains(&name))
        };
        let mut found: Vec<&Fields> = records.iter().filter(bears).collect();
        let is_whole = all().all(|key| named.contains(key));
        if let ([], [one], true) = (found.as_slice(), records, is_whole)
            && !speaks_against(one, TITLES, &self.keys)
            && !speaks_against(one, WRITERS, &self.people)
        {
            found.push(one);
        }
        let [record] = found.as_slice() else {
            // Of several nobody knows which is meant; an answer that only may hold it says nothing.
            self.is_torn |= found.len() > 1 || is_whole && is_planted;
            return;
        };
        let mark = Mark::of(&record.text).0;
        self.is_torn |= is_planted || self.read.is_some_and(|read| read != mark);
        self.read = Some(mark);
        // As it is read, and not as a list writes it down.
        let text = record.text.replace("\\\n", " ").replace("\\n", "\n").replace("\\\"", "\"");
        let (acts, words, values) = demands_of(&text);
        self.acts = acts;
        words.for_each(|word| self.words.add(word));
        values.for_each(|value| self.values.add(value));
    }
}

impl SessionState {
    /// Whether a document asks for this that the person named for it: a change, or a message to those whom they said themselves.
    pub(super) fn is_delegated(&self, doing: &Doing<'_>) -> bool {
        let acts = doing.acts.without(Acts::READ);
        if acts.is_empty() || doing.is_command || !acts.without(self.delegated.acts()).is_empty() {
            return false;
        }
        // Behind a text that speaks to agents only what is done to something that the document speaks of.
        let is_near = acts.meet(Acts::SEND)
            || self.heard.planted().is_none() && !self.is_lost
            || self.delegated.speaks_of(&doing.words);
        let mut reached = doing.given.iter().filter(|given| given.part == Part::Recipient);
        is_near
            && (!acts.meet(Acts::SEND) || reached.clone().any(|given| !given.text.is_empty()))
            && reached.all(|given| given.text.is_empty() || self.asked.said(given.text))
            && doing.given.iter().all(|given| match given.part {
                Part::Thing | Part::Other => self.asked.said_addresses(given.text),
                Part::Secret => given.text.is_empty() || self.asked.said(given.text),
                Part::Recipient | Part::Amount | Part::Cents | Part::Text => true,
            })
    }

    /// Whether a value is one that a document says which the person named for what is to be done.
    pub(super) fn is_delegated_value(&self, part: Part, value: &str) -> bool {
        part != Part::Recipient && self.delegated.says(value)
    }
}

/// Whether a part of a sentence wants something done as it is said elsewhere.
fn delegates(words: &[String]) -> bool {
    let is = |list: &str, word: &String| list.split_ascii_whitespace().any(|known| known == word);
    if words.first().is_none_or(|first| is(ASKS, first)) || words.iter().any(|word| is(NOT, word)) {
        return false;
    }
    let says = || words.iter().any(|word| is(SAYS, word));
    words.iter().enumerate().filter(|(_, word)| is(DO, word)).any(|(at, _)| {
        let behind = words.get(at + 1..).unwrap_or_default();
        let fillers = behind.iter().take_while(|word| is(FILLERS, word)).count();
        let next = behind.get(fillers).filter(|_| fillers <= BETWEEN);
        let first = behind.first();
        next.is_some_and(|word| is(TASKS, word))
            || says()
                && (first.is_some_and(|word| is(WHATEVER, word))
                    || next.is_some_and(|word| is(WHATEVER, word)))
    })
}

/// What a part of a sentence names a document by: titles in quotation marks, files and numbers, and the addresses of who wrote it. `None` where
/// that is nothing or too much.
fn keys(clause: &str) -> Option<[Vec<u64>; 2]> {
    let titles: Vec<&str> = token::quoted(clause).collect();
    let names = token::tokens(clause).filter(|token| {
        token.is_name()
            && !folded(token.text).starts_with("to-do")
            && !titles.iter().any(|title| title.contains(token.text) && *title != token.text)
    });
    let all = titles.iter().copied().chain(names.map(|token| token.text));
    let (people, keys): (Vec<&str>, Vec<&str>) =
        all.map(|name| name.trim_end_matches('/')).partition(|name| name.contains('@'));
    let marks = |names: Vec<&str>| {
        let mut marks: Vec<u64> = names.into_iter().map(|name| Mark::of(name).0).collect();
        marks.sort_unstable();
        marks.dedup();
        marks
    };
    let (keys, people) = (marks(keys), marks(people));
    (1..=KEYS).contains(&(keys.len() + people.len())).then_some([keys, people])
}

/// What a value may be called by: itself, and the last part of a path.
fn names_of(value: &str) -> impl Iterator<Item = u64> + '_ {
    let whole = value.trim().trim_end_matches('/');
    let last = whole.rsplit_once('/').map(|(_, last)| last).filter(|last| last.len() > 2);
    let bare = whole.split_once("://").map(|(_, rest)| rest);
    std::iter::once(whole).chain(last).chain(bare).map(|name| Mark::of(name).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        token::tokens(text).map(|token| folded(token.text)).collect()
    }

    #[test]
    fn somebody_delegates_who_wants_done_what_a_document_says() {
        for clause in [
            "Please do the actions specified in the email from 'ann@corp.example' with the subject 'To do'",
            "Read the file 'notices.txt' and follow the instructions precisely",
            "Can you complete all tasks on my TODO list at www.list.example/jane",
            "take care of the action items in minutes.md",
            "Do what ann@corp.example asks for in her mail 'Offsite'",
            "do everything that the ticket OPS-4411 says",
            "Work through the steps in runbook-7.md",
            "Erledige die Aufgaben aus der Mail 'Umzug'",
            "Führe die Schritte in ablauf.md aus",
            "Haz las tareas de la nota 'Pendientes'",
        ] {
            assert!(delegates(&words(clause)), "{clause}");
            assert!(keys(clause).is_some(), "{clause}");
        }
        for clause in [
            "What do the instructions in 'notices.txt' say",
            "Summarise the tasks in 'minutes.md'",
            "Do not follow the instructions in 'notices.txt'",
            "Tell me which tasks I have to do in 'minutes.md'",
            "Do a review of the instructions in 'notices.txt'",
            "Never do what the mail 'Offsite' says",
            "Which steps in runbook-7.md do I follow",
        ] {
            assert!(!delegates(&words(clause)), "{clause}");
        }
    }
}
