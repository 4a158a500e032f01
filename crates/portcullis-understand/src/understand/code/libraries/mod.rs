//! What the objects of well-known libraries do, one card for each library. Owns which library an object is of and what its methods mean;
//! how a meaning is told, [`judged`] says. What a library without a card is called is read as the name of an unknown tool is.
//!
//! The sources are the libraries' own references: the page of each class or client on Read the Docs, npm or the maker's site.

mod by_name;
mod chosen;
mod databases;
mod emptied;
mod judged;
mod kept;
mod local;
mod machines;
mod models;
mod pages;
mod people;
mod remotes;
mod repositories;
mod rows;
mod scripting;
mod services;
mod stored;
mod stores;
mod there;
mod told;

pub(super) use by_name::only_shows;
pub(super) use judged::{Called, is_told};
pub(super) use local::is_local;
pub(super) use rows::{IN_MEMORY, is_of_a_test};
pub(super) use services::{is_vendor, names_a_secret, top_of};

use super::tables::Act;
use crate::{contract::Class, understand::meaning};

/// What a method does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Doing {
    /// What a row of the functions does.
    As(Act),
    /// A command of this program, with the name of the method as its verb: `repo.git.push('--force')`.
    Verb(&'static str),
    /// The same, where the first word is an option without its dashes: `git.reset('hard')`.
    Dashed(&'static str, &'static str),
    /// These words, then what is given.
    Words(&'static [&'static str]),
    /// A line of this program, of which the rest is given.
    Line(&'static str),
    /// The program that the method is named after: `sh.rm('-rf', path)`.
    Program,
    /// Shell code, or the words of a program, that another machine or a terminal gets.
    Runs,
    /// These words on the machine that is connected to, then what is given.
    There(&'static [&'static str]),
    /// A setting of a repository, by its section, its name and its value.
    ConfiguresGit,
    /// Rows are deleted, filtered by what is given or what stands around.
    DeletesRows,
    /// Rows of the table that is given are deleted, filtered by what stands behind: `db.delete(users).where(…)`.
    DeletesOf,
    /// Rows are changed.
    ChangesRows,
    /// What this statement does, whose last word is what the method belongs to.
    Statement(&'static str),
    /// What is given is a statement.
    Query,
    /// What is given is a script for a page.
    Page,
    /// What is given goes to this host, or to the one that was connected to; files by their names too.
    Uploads(&'static str),
    /// A message goes out, with what is attached.
    Mails,
    /// What a tool of this class does.
    Class(Class),
    /// It gives secrets.
    Secret,
    /// It gives secrets of a store; what shows them, is told as this command.
    Stored(&'static [&'static str]),
    /// A rule alone says it.
    Note(&'static str),
    /// Processes end that were gone through one after the other.
    Kills,
    /// A file system is opened, of the kind that is given first.
    Opens,
    /// Files go from where the file system that they belong to was opened.
    Removes,
    /// A table is written, maybe in the place of one that is there.
    WritesTable,
    /// A file is opened on another machine: one that is written is judged by where it lies.
    WritesThere,
    /// A row is written, which counts where the code speaks of production.
    Saves,
    /// A key of the registry is opened or changed.
    Registry,
    /// The program is started whenever its person logs in.
    StartsAtLogin,
    /// What is done says one of the words that are given: `models.execute_kw(db, uid, key, "res.partner", "unlink", [ids])`.
    Named,
    /// Things of a house or a plant are told something: a lock, an alarm or a valve by its name.
    Switches,
    /// A machine or a device is told something, which this rule says.
    Tells(&'static str),
    /// What this statement does where it is told `true`, whose last word is what the method belongs to.
    StatementIf(&'static str),
    /// Other machines are told a module with its arguments, or a playbook, as `ansible` tells them.
    Ansible,
    /// Other machines are told functions with their arguments, as `salt` tells them.
    Salt,
    /// A page is opened.
    Visits,
    /// Something on a page is chosen.
    Chooses,
    /// Something on a page is clicked, by what it is called.
    Clicks,
    /// Something is filled into a field of a page.
    Fills,
    /// A message goes out to everybody who listens.
    MailsMany,
    /// It is said for whom a message is.
    Addresses,
    /// Devices are told what the function is called after that is handed over: `nr.run(task=napalm_configure, configuration=…)`.
    Tasks,
    /// Frames of a network are sent, by what they are made of.
    Packets,
    /// It gives a secret where this argument says so.
    SecretWhere(&'static str),
    /// Values of the registry are written, which stand in a table by their keys.
    RegistryValues,
    /// This file is changed.
    Writes(&'static str),
    /// One is work as usual, each of many is gone for good.
    DeletesOne,
    /// The same of a row of a database, where all rows that there are were gone through.
    DeletesEach,
    /// Deletions stand in a list of what is to be done: `bulkWrite([{ deleteMany: { filter: {} } }])`.
    DeletesBulk,
    /// A table is filled, maybe in the place of what it holds.
    Loads,
    /// What is given is shown to a model that runs at this host.
    Prompts(&'static str),
    /// A browser is told something by its own protocol, which may ask it for what people signed in with.
    Debugs,
    /// A program of WebAssembly is given directories of this machine.
    Preopens,
    /// It only looks, or changes what stays in the program.
    Quiet,
}

/// A library.
pub(super) struct Card {
    /// The modules that it is imported from, and all that lies below them.
    modules: &'static [&'static str],
    /// What its objects are called where nothing in the text binds a name.
    habits: &'static [&'static str],
    /// What its methods do, by the words of their names; `of.method` where what they belong to matters.
    methods: &'static [(&'static str, Doing)],
    /// What a method that has no row does; read by its name where there is none.
    otherwise: Option<Doing>,
}

/// The row of a method: one that names something on the way to it, else one that names nothing.
fn find(rows: &[(&'static str, Doing)], way: &[String], name: &str) -> Option<Doing> {
    let with_owner = rows.iter().find(|(row, _)| {
        row.split_once('.').is_some_and(|(of, it)| it == name && way.iter().any(|part| part == of))
    });
    let row = with_owner.or_else(|| rows.iter().find(|(row, _)| *row == name));
    row.map(|(_, doing)| *doing)
}

/// The shelves, in the order in which they are searched.
const SHELVES: &[&[Card]] = &[
    repositories::CARDS,
    databases::CARDS,
    remotes::CARDS,
    people::CARDS,
    pages::CARDS,
    stores::CARDS,
    machines::CARDS,
    models::CARDS,
    kept::CARDS,
];

/// The card of what is imported from a module.
pub(super) fn of_module(module: &str) -> Option<&'static Card> {
    let cards = || SHELVES.iter().flat_map(|shelf| shelf.iter());
    let fits = |name: &&str| {
        module
            .strip_prefix(*name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', ':']))
    };
    cards()
        .filter_map(|card| {
            Some((card.modules.iter().filter(|it| fits(it)).map(|it| it.len()).max()?, card))
        })
        .max_by_key(|(length, _)| *length)
        .map(|(_, card)| card)
}

/// Whether a module is that of a library with a card.
pub(super) fn is_known(module: &str) -> bool {
    of_module(module).is_some()
}

/// Whether the library of a module can destroy what its service keeps.
pub(super) fn can_destroy(module: &str) -> bool {
    const CLOUDS: &[&str] = &["@aws-sdk/client-", "@azure/", "@google-cloud/", "@octokit/"];
    const OTHERS: &[&str] =
        &["@aws-sdk/lib-dynamodb", "@kubernetes/client-node", "aws-sdk", "dockerode", "octokit"];
    let destroys = |doing: &Doing| {
        matches!(
            doing,
            Doing::Class(Class::Delete)
                | Doing::DeletesOf
                | Doing::DeletesRows
                | Doing::Note("code.cloud.delete")
                | Doing::Statement(_)
                | Doing::StatementIf(_)
        )
    };
    CLOUDS.iter().any(|cloud| module.starts_with(cloud))
        || OTHERS.contains(&module)
        || of_module(module)
            .is_some_and(|card| card.methods.iter().any(|(_, doing)| destroys(doing)))
}

/// The card of what has this name by habit.
fn of_habit(name: &str) -> Option<&'static Card> {
    SHELVES.iter().flat_map(|shelf| shelf.iter()).find(|card| card.habits.contains(&name))
}

/// The words of a method's name as a row has them: `deleteMany`, `delete_many` and `deleteManySync` are one.
fn key(name: &str) -> String {
    let mut words = meaning::words(meaning::beginning(name));
    if words.len() > 1 && words.last().is_some_and(|last| matches!(last.as_str(), "sync" | "async"))
    {
        words.pop();
    }
    words.join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_written_as_it_is_searched_and_stands_once_in_its_card() {
        let rows = SHELVES.iter().flat_map(|shelf| shelf.iter()).map(|card| card.methods);
        for rows in rows.chain([databases::ANYWHERE]) {
            for (at, (row, _)) in rows.iter().enumerate() {
                let same = row.split('.').map(key).collect::<Vec<_>>().join(".");
                assert_eq!(*row, same, "written otherwise");
                assert!(!rows.iter().skip(at + 1).any(|(other, _)| other == row), "`{row}` twice");
            }
        }
    }

    #[test]
    fn a_module_below_another_has_its_card() {
        assert!(of_module("git").is_some() && of_module("git.repo.base").is_some());
        assert!(of_module("gitx").is_none() && of_module("./git").is_none());
    }
}
