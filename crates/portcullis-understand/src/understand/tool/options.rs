//! Values that a server hands to a program, as `mcp-server-git` hands them to git: one that begins with a dash is an option there, and an address with
//! a transport of its own is a command. Owns which servers those are, and the command that such a call comes to.

use serde_json::{Map, Value};

use super::{Beside, Reader, Spot, command::Told, contract};
use crate::{
    action::shell_quoted,
    call::ToolCall,
    contract::Class,
    pointer, programs,
    understand::meaning::key::{self, Role},
};

/// Servers, and tools, by a word of their name, and the program that they hand values to.
const PROGRAMS: &[(&str, &str)] = &[
    ("aws", "aws"),
    ("curl", "curl"),
    ("docker", "docker"),
    ("ffmpeg", "ffmpeg"),
    ("gh", "gh"),
    ("git", "git"),
    ("helm", "helm"),
    ("kubectl", "kubectl"),
    ("maven", "mvn"),
    ("mvn", "mvn"),
    ("npm", "npm"),
    ("pandoc", "pandoc"),
    ("podman", "podman"),
    ("rg", "rg"),
    ("ripgrep", "rg"),
    ("rsync", "rsync"),
    ("ssh", "ssh"),
    ("terraform", "terraform"),
    ("wget", "wget"),
];

/// How many values of one call are looked at.
const VALUES: usize = 4_096;

/// Verbs of git whose call comes to a command whatever its values are.
const WHOLE: &[&str] = &["apply", "clone", "init"];

impl Reader<'_, '_> {
    /// Reads the call as the command that its values make of it, where one of them is more than a value there.
    pub(super) fn options(&mut self, call: &ToolCall) {
        let Some(program) = self.handed_to() else { return };
        let own = self.name.own_words();
        let verb = own.iter().find(|word| {
            *word != program && (program != "git" || programs::escapes::is_git_verb(word))
        });
        let verb = verb.filter(|_| !matches!(program, "curl" | "rg" | "wget")).cloned();
        let mut values = Vec::new();
        if !members_of(&call.arguments, "", &mut values) {
            self.too_deep(&Spot::Argument(String::new()));
        }
        let beside = Beside::new(&call.arguments, &self.name);
        let verb = verb.as_deref().unwrap_or_default();
        let is_whole = program == "git" && WHOLE.contains(&verb);
        // Beside an option its value stands in a list of them.
        let listed: Vec<&str> =
            values.iter().filter(|one| one.is_more()).map(Given::list).collect();
        let is_listed = |one: &Given<'_>| one.is_in_list && listed.contains(&one.list());
        let handed: Vec<&Given> = values
            .iter()
            .filter(|one| one.is_more() || is_listed(one) || is_whole && one.is_operand_of(verb))
            .collect();
        let Some(first) = handed.first() else { return };
        let mut words = vec![program.to_owned()];
        let place = values.iter().find(|one| one.is_place() && !one.is_operand_of(verb));
        if let Some(place) = place.filter(|_| program == "git") {
            words.extend(["-C".to_owned(), shell_quoted(place.text)]);
        }
        words.extend((!verb.is_empty()).then(|| verb.to_owned()));
        let input = values.iter().find(|one| one.is_patch()).filter(|_| verb == "apply");
        words.extend(handed.iter().filter(|one| !one.is_patch()).map(|one| shell_quoted(one.text)));
        let line = words.join(" ");
        let Some(layer) = Spot::Argument(first.at.clone()).open(self.walk, first.text) else {
            return;
        };
        let beside = Beside { input: input.map(|one| one.text), arguments: None, ..beside };
        let mark = self.walk.effects();
        self.in_shell(layer, first.text, Some(&line), &beside, Told::Guessed);
        let found = contract::of_call(call, self.walk.facts());
        if found.is_some_and(|found| found.act.contract.class == Class::Execute) {
            self.walk.suppose(mark);
        }
    }

    /// The program that the server, or the tool, is made around.
    fn handed_to(&self) -> Option<&'static str> {
        let words = || self.name.server_words().iter().chain(self.name.own_words());
        words().find_map(|word| PROGRAMS.iter().find(|(name, _)| name == word)).map(|row| row.1)
    }
}

/// A text among the arguments.
struct Given<'a> {
    at: String,
    is_in_list: bool,
    name: &'a str,
    text: &'a str,
}

impl Given<'_> {
    /// Whether a program takes it for more than a value: an option, or an address that is a command. What is written or said is none.
    fn is_more(&self) -> bool {
        let mut letters = self.text.chars();
        let is_option = letters.next() == Some('-')
            && letters.next().is_some_and(|next| next == '-' || next.is_ascii_alphabetic());
        let is_said = matches!(key::role(self.name), Role::Words | Role::Typed | Role::Query)
            || self.is_patch();
        let is_command = ["ext::", "fd::"].iter().any(|start| self.text.starts_with(start));
        is_option && !is_said || is_command
    }

    /// The place of the list that it stands in.
    fn list(&self) -> &str {
        self.at.rsplit_once('/').map_or("", |(list, _)| list)
    }

    /// Whether it says in which repository something is done.
    fn is_place(&self) -> bool {
        const PLACES: &[&str] = &[
            "cwd",
            "directory",
            "path",
            "projectpath",
            "repo",
            "repository",
            "repopath",
            "repositorypath",
            "workdir",
            "workingdir",
            "workingdirectory",
        ];
        PLACES.contains(&key::plain(self.name).as_str()) && self.text.starts_with(['/', '.', '~'])
    }

    fn is_patch(&self) -> bool {
        matches!(key::plain(self.name).as_str(), "diff" | "patch" | "patchcontent" | "patchtext")
    }

    /// Whether it is what a verb of git is about.
    fn is_operand_of(&self, verb: &str) -> bool {
        match verb {
            "apply" => self.is_patch(),
            "clone" => matches!(key::role(self.name), Role::Address) && self.text.contains("::"),
            "init" => matches!(key::role(self.name), Role::Path(_) | Role::Directory),
            _ => false,
        }
    }
}

/// The texts among the arguments, with their names. Whether that was all of them is the answer.
fn gathered<'a>(value: &'a Value, name: &'a str, at: &str, values: &mut Vec<Given<'a>>) -> bool {
    if values.len() >= VALUES {
        return false;
    }
    match value {
        Value::String(text) => {
            let is_in_list =
                at.rsplit('/').next().is_some_and(|last| last.parse::<usize>().is_ok());
            values.push(Given { at: at.to_owned(), is_in_list, name, text });
            true
        }
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.all(|(index, item)| gathered(item, name, &format!("{at}/{index}"), values))
        }
        Value::Object(members) => members_of(members, at, values),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

fn members_of<'a>(members: &'a Map<String, Value>, at: &str, values: &mut Vec<Given<'a>>) -> bool {
    let mut members = members.iter();
    members.all(|(name, value)| gathered(value, name, &pointer::to(at, name), values))
}
