//! The contracts of the servers that people use most, from their own documentation: one file each, with where it was read. Owns how a
//! server and its tools are found by their names.
//!
//! A name is no proof of who is behind it: what stands here words questions and lets plain reads pass; what the arguments say is read
//! all the same.

mod aws;
mod calendar;
mod chrome;
mod cloudflare;
mod drive;
mod fetch;
mod figma;
mod filesystem;
mod git;
mod github;
mod gitlab;
mod gmail;
mod home_assistant;
mod jira;
mod kubernetes;
mod linear;
mod mongodb;
mod mysql;
mod notion;
mod paypal;
mod playwright;
mod postgres;
mod redis;
mod sentry;
mod slack;
mod sqlite;
mod stripe;
mod supabase;
mod terraform;
mod zapier;

use crate::contract::{ArgumentMeaning, Class, Contract, Data, Meaning, Reach};

/// A server whose tools are known.
#[derive(Debug)]
pub struct Server {
    /// What it is called in people's settings; the words of one of these must be among the words of its name.
    pub names: &'static [&'static str],
    /// Where its tools are described.
    pub source: &'static str,
    /// Whether others than the person write what its tools give back.
    pub foreign: bool,
    /// Its tools that only look.
    pub reads: &'static [&'static str],
    /// Its tools that make or change something, and nothing else.
    pub changes: &'static [&'static str],
    /// Its other tools.
    pub tools: &'static [Tool],
}

impl Server {
    /// Every tool, with its contract.
    pub fn contracts(&self) -> impl Iterator<Item = (&'static str, Contract)> {
        let plain = |names: &'static [&'static str], class| {
            names.iter().map(move |name| (*name, Tool::new(name, class, "").contract(self)))
        };
        let others = self.tools.iter().map(|tool| (tool.name, tool.contract(self)));
        plain(self.reads, Class::Read).chain(plain(self.changes, Class::Change)).chain(others)
    }

    fn find(&self, own: &[String]) -> Option<Contract> {
        let is = |name: &&str| is_called(name, own, self);
        let plain = |names: &'static [&'static str], class| {
            let name = names.iter().copied().find(|name| is(name))?;
            Some(Tool::new(name, class, "").contract(self))
        };
        plain(self.reads, Class::Read).or_else(|| plain(self.changes, Class::Change)).or_else(
            || self.tools.iter().find(|tool| is(&tool.name)).map(|tool| tool.contract(self)),
        )
    }
}

/// A tool of such a server.
#[derive(Debug)]
pub struct Tool {
    /// Its name without the server's.
    pub name: &'static str,
    class: Class,
    reach: Reach,
    subject: &'static str,
    gives: Data,
    reversible: bool,
    arguments: &'static [(&'static str, Meaning)],
}

impl Tool {
    const fn new(name: &'static str, class: Class, subject: &'static str) -> Self {
        let reach = match class {
            Class::Send | Class::Share | Class::Bind => Reach::People,
            Class::Publish | Class::Pay => Reach::Outward,
            _ => Reach::Service,
        };
        let reversible = matches!(class, Class::Quiet | Class::Read | Class::Change);
        Self { name, class, reach, subject, gives: Data::Work, reversible, arguments: &[] }
    }

    const fn with(self, arguments: &'static [(&'static str, Meaning)]) -> Self {
        Self { arguments, ..self }
    }

    const fn giving(self, gives: Data) -> Self {
        Self { gives, ..self }
    }

    const fn reaching(self, reach: Reach) -> Self {
        Self { reach, ..self }
    }

    /// What it does can be undone, or cannot, other than its class would have it.
    const fn reversibly(self, reversible: bool) -> Self {
        Self { reversible, ..self }
    }

    /// Its contract.
    #[must_use]
    pub fn contract(&self, server: &Server) -> Contract {
        let meaning = |(pointer, meaning): &(&str, Meaning)| ArgumentMeaning {
            pointer: (*pointer).to_owned(),
            meaning: *meaning,
        };
        Contract {
            class: self.class,
            reach: self.reach,
            subject: self.subject.to_owned(),
            gives: self.gives,
            foreign: server.foreign,
            reversible: self.reversible,
            arguments: self.arguments.iter().map(meaning).collect(),
            most: None,
        }
    }
}

/// Every server whose tools are known.
#[must_use]
pub fn servers() -> &'static [&'static Server] {
    SERVERS
}

static SERVERS: &[&Server] = &[
    &aws::SERVER,
    &calendar::SERVER,
    &chrome::SERVER,
    &cloudflare::SERVER,
    &drive::SERVER,
    &fetch::SERVER,
    &figma::SERVER,
    &filesystem::SERVER,
    &git::SERVER,
    &github::SERVER,
    &gitlab::SERVER,
    &gmail::SERVER,
    &home_assistant::SERVER,
    &jira::SERVER,
    &kubernetes::SERVER,
    &linear::SERVER,
    &mongodb::SERVER,
    &mysql::SERVER,
    &notion::SERVER,
    &paypal::SERVER,
    &playwright::SERVER,
    &postgres::SERVER,
    &redis::SERVER,
    &sentry::SERVER,
    &slack::SERVER,
    &sqlite::SERVER,
    &stripe::SERVER,
    &supabase::SERVER,
    &terraform::SERVER,
    &zapier::SERVER,
];

/// The contract of a tool, by the words of its server's name and of its own.
pub(super) fn find(server: &[String], own: &[String]) -> Option<Contract> {
    if server.is_empty() {
        return None;
    }
    SERVERS.iter().filter(|known| is_named(known, server)).find_map(|known| known.find(own))
}

/// Whether one of a server's names is among the words of the name that a person gave it.
fn is_named(server: &Server, words: &[String]) -> bool {
    server.names.iter().any(|name| {
        let mut parts = name.split('-').peekable();
        parts.peek().is_some() && parts.all(|part| words.iter().any(|word| word == part))
    })
}

/// Whether a tool has this name, also with the server's in front of it.
fn is_called(name: &str, own: &[String], server: &Server) -> bool {
    let is = |own: &[String]| {
        let mut words = own.iter().map(String::as_str);
        name.split(['_', '-', '.']).all(|part| words.next() == Some(part)) && words.next().is_none()
    };
    is(own)
        || server.names.iter().any(|prefix| {
            let count = prefix.split('-').count();
            let starts = prefix.split('-').zip(own).all(|(part, word)| part == word);
            starts && own.get(count..).is_some_and(is)
        })
}
