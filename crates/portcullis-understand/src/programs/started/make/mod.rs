//! `make`: what the targets that are asked for would run (GNU make manual, "How to Use Variables", "Writing Rules", "Summary of Options").
//! Owns which files it reads and which of their recipes run; the text itself is taken apart by `makefile` and filled in by `expand`.

mod expand;
mod lines;
mod makefile;

use super::Starter;
use crate::{
    bound::{Bounded, Cut, Limits},
    effect::{Argument, Certainty},
    facts::NotRead,
    programs::found::{File, Found},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};
use expand::Values;
use makefile::{Makefile, Place};
use portcullis_syntax::Span;

pub(super) static MAKE: Starter = Starter { programs: &["make"], start };

/// Where it looks for its file, in this order.
const NAMES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

/// Options that take a value.
const VALUES: &[&str] = &["-C", "-f", "-I", "-j", "-l", "-o", "-W", "-O"];

/// How many files are included.
const FILES: usize = 32;

/// How often the files are read anew, once what they read into variables is known.
const ROUNDS: usize = 3;

/// How many lines of recipes are followed.
const LINES: usize = 2_000;

/// What stands on the command line.
#[derive(Debug, Default)]
struct Asked {
    directories: Vec<String>,
    files: Vec<String>,
    goals: Vec<String>,
    variables: Vec<(String, String)>,
    /// Directories that included files are looked for in.
    places: Vec<String>,
    /// Recipes are only shown; what is run while the file is read runs all the same.
    shows: bool,
    /// Nothing is read.
    tells: bool,
}

fn asked(invocation: &Invocation) -> Asked {
    let mut asked = Asked::default();
    let mut words = invocation.arguments.iter().map(|word| word.text.display());
    while let Some(word) = words.next() {
        let long = word.split_once('=').filter(|_| word.starts_with("--"));
        let (name, attached) =
            long.map_or((word.as_str(), None), |(name, value)| (name, Some(value.to_owned())));
        let short = word.get(..2).filter(|short| VALUES.contains(short) && word.len() > 2);
        let value = |words: &mut dyn Iterator<Item = String>| match short {
            Some(_) => word.get(2..).map(str::to_owned),
            None => attached.clone().or_else(|| words.next()),
        };
        match short.unwrap_or(name) {
            "-C" | "--directory" => asked.directories.extend(value(&mut words)),
            "-f" | "--file" | "--makefile" => asked.files.extend(value(&mut words)),
            "-j" | "--jobs" | "-l" | "-O" => {}
            "-I" | "--include-dir" => asked.places.extend(value(&mut words)),
            "-o" | "-W" | "--old-file" | "--what-if" => {
                value(&mut words);
            }
            "--just-print" | "--dry-run" | "--recon" | "--question" | "--touch" => {
                asked.shows = true
            }
            "--help" | "--version" | "-h" | "-v" => asked.tells = true,
            option if option.starts_with("--") => {}
            option if option.starts_with('-') => {
                asked.shows |= option.contains(['n', 'q', 't']);
            }
            _ => match word.split_once('=') {
                Some((name, value)) => {
                    let name = name.trim_end_matches([':', '?', '+']);
                    asked.variables.push((name.to_owned(), value.to_owned()));
                }
                None => asked.goals.push(word.clone()),
            },
        }
    }
    asked
}

/// The commands of a makefile that is known by its text alone, as a call writes it or hands it on: those of the goals, or all of them where none is
/// known or what it includes is not there.
pub fn commands(
    text: &str,
    given: &[(&str, &str)],
    goals: Option<&[&str]>,
    limits: &mut (impl Limits + ?Sized),
    span: Span,
) -> Vec<String> {
    let given: Vec<(String, String)> =
        given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let mut values = Values::new(".", &given);
    let mut make = Makefile::default();
    make.read(0, text, &mut values);
    make.exports(&mut values);
    let mut commands: Vec<String> =
        std::mem::take(&mut make.immediate).into_iter().map(|(_, code)| code).collect();
    let named: Vec<String> = match goals {
        Some([]) => default_goals(&make),
        Some(goals) => goals.iter().map(|goal| (*goal).to_owned()).collect(),
        None => Vec::new(),
    };
    let is_open = named.is_empty()
        || !make.includes.is_empty()
        || !named.iter().all(|goal| make.has_rule(goal));
    let (choices, is_more) = make.choices();
    for choice in 0..choices {
        values.choose(choice);
        let lines =
            if is_open { make.every_line(&mut values) } else { make.lines_of(&named, &mut values) };
        for line in lines {
            if choice == 0 || !commands.contains(&line.text) {
                commands.push(line.text);
            }
        }
    }
    if is_more || values.is_cut() || make.cut {
        limits.limit(span);
    }
    commands
}

fn default_goals(make: &Makefile) -> Vec<String> {
    let named = make.value_of(".DEFAULT_GOAL").map(|goal| goal.trim().to_owned());
    named.or_else(|| make.first.clone()).into_iter().collect()
}

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let asked = asked(invocation);
    if asked.tells {
        return;
    }
    let outer = walk.directory().map(str::to_owned);
    for directory in &asked.directories {
        let inner = walk.target(&Text::known(directory.as_str())).path;
        walk.go_to(inner);
    }
    read(walk, invocation, &asked);
    walk.go_to(outer);
}

fn read(walk: &mut dyn Host, invocation: &Invocation, asked: &Asked) {
    let Some(directory) = walk.directory().map(str::to_owned) else { return };
    let names: Vec<String> = if asked.files.is_empty() {
        NAMES.iter().map(|name| (*name).to_owned()).collect()
    } else {
        asked.files.clone()
    };
    let mut files: Vec<File> = Vec::new();
    for name in &names {
        let path = walk.target(&Text::known(name.as_str())).path;
        match path.map(|path| walk.look(&path)) {
            Some(Found::File(file)) => files.push(file),
            // It goes on behind a byte that makes a file no text for us.
            Some(Found::NotRead(NotRead::Binary)) => walk.left_unread(invocation.span),
            _ => {}
        }
        if asked.files.is_empty() && !files.is_empty() {
            break;
        }
    }
    // What `MAKEFILES` names is read before.
    let given = asked.variables.iter().filter(|(name, _)| name == "MAKEFILES");
    let before: Vec<&str> = given.flat_map(|(_, names)| names.split_whitespace()).collect();
    for (at, name) in before.iter().enumerate() {
        let path = walk.target(&Text::known(*name)).path;
        if let Some(file) = path.and_then(|path| walk.look(&path).file()) {
            files.insert(at.min(files.len()), file);
        }
    }
    let mut values = Values::new(&directory, &asked.variables);
    let own = files.clone();
    let mut make = whole(walk, asked, &mut files, &mut values);
    // A file that is read into a variable says the rest once it is known.
    let goals = if asked.goals.is_empty() { default_goals(&make) } else { asked.goals.clone() };
    for _ in 0..ROUNDS {
        // Recipes read files as they are filled in.
        if files.iter().any(|file| file.text.contains("(file <") || file.text.contains("{file <")) {
            make.lines_of(&goals, &mut values);
        }
        let wanted = values.wanted();
        if wanted.is_empty() {
            break;
        }
        for name in wanted {
            let path = walk.target(&Text::known(name.as_str())).path;
            let text = path.and_then(|path| walk.look(&path).file());
            values.give(name, text.map(|file| file.text.to_string()).unwrap_or_default());
        }
        files.clone_from(&own);
        make = whole(walk, asked, &mut files, &mut values);
    }
    // What is run while the files are read.
    for (place, code) in std::mem::take(&mut make.immediate) {
        within(walk, &files, place, &code, invocation.span, |walk, span| {
            walk.shell(&Text::known(code.as_str()), span, &[], None);
        });
    }
    for name in std::mem::take(&mut make.remade) {
        let file = Argument { text: Text::known(name.as_str()), span: invocation.span };
        if walk.wrote(&file.text) {
            let content = walk.read(&file);
            let content = walk.text_of_input(&content);
            crate::programs::escapes::makefile(walk, &content, invocation.span);
        }
    }
    if !asked.shows {
        recipes(walk, invocation, asked, &files, &make, &mut values);
    }
    if (values.is_cut() || make.cut)
        && let Some(file) = files.first()
    {
        walk.in_task(file, "", "makefile", invocation.span, |walk| {
            walk.left_unread(invocation.span)
        });
    }
}

/// Reads the files and those that they include.
fn whole(
    walk: &mut dyn Host,
    asked: &Asked,
    files: &mut Vec<File>,
    values: &mut Values,
) -> Makefile {
    let mut make = Makefile::default();
    let mut absent: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(file) = files.get(at).cloned() {
        make.read(at, &file.text, values);
        walk.taken_apart(file.text.len());
        at += 1;
        for name in std::mem::take(&mut make.includes) {
            if files.len() >= FILES {
                make.cut = true;
                break;
            }
            let inner = asked.places.iter().map(|place| format!("{place}/{name}"));
            let mut is_there = false;
            for candidate in std::iter::once(name.clone()).chain(inner) {
                let Some(path) = walk.target(&Text::known(candidate.as_str())).path else {
                    continue;
                };
                for path in named(walk, path) {
                    let included = walk.look(&path).file();
                    is_there |= included.is_some();
                    files.extend(
                        included.filter(|new| files.iter().all(|file| file.path != new.path)),
                    );
                }
            }
            if !is_there {
                absent.push(name);
            }
        }
    }
    // What is included and not there is made first, and then read.
    absent.retain(|name| make.has_rule(name));
    make.remade(&absent, values);
    make.exports(values);
    make
}

fn recipes(
    walk: &mut dyn Host,
    invocation: &Invocation,
    asked: &Asked,
    files: &[File],
    make: &Makefile,
    values: &mut Values,
) {
    let goals = if asked.goals.is_empty() { default_goals(make) } else { asked.goals.clone() };
    let (choices, is_more) = make.choices();
    let mut lines: Vec<makefile::Line> = Vec::new();
    for choice in 0..choices {
        values.choose(choice);
        for line in make.lines_of(&goals, values) {
            if choice == 0 || !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    values.choose(0);
    walk.taken_apart(values.filled());
    let shell = Shell {
        program: values.expanded(make, "$(SHELL)"),
        flags: values.expanded(make, "$(.SHELLFLAGS)"),
    };
    let exported = make.given_to_recipes(values);
    let mut cut = Cut::default();
    for line in lines.iter().at_most(LINES, &mut cut, invocation.span) {
        let place = Place { file: line.place.file, span: line.place.span };
        let certainty = if line.is_likely { Certainty::Likely } else { Certainty::Certain };
        within(walk, files, place, &line.text, invocation.span, |walk, span| {
            walk.at_most(certainty, |walk| {
                if exported.is_empty() {
                    shell.line(walk, &line.text, span);
                    return;
                }
                walk.with_environment(|walk| {
                    for (name, value) in &exported {
                        walk.environment_of(name, &Text::known(value.as_str()), span);
                    }
                    shell.line(walk, &line.text, span);
                });
            });
        });
    }
    if (cut.happened() || is_more)
        && let Some(file) = files.first()
    {
        walk.in_task(file, "", "makefile", invocation.span, |walk| {
            walk.left_unread(invocation.span)
        });
    }
}

/// What lines of recipes are handed to ("Choosing the Shell").
struct Shell {
    program: String,
    flags: String,
}

impl Shell {
    /// Says that it is handed a line.
    fn line(&self, walk: &mut dyn Host, line: &str, span: Span) {
        let code = Text::known(line);
        // Flags that are more than flags are code that it runs before each line, or in its place.
        if self.flags.contains(['"', '\'', '$', ';', '`']) {
            let program = if self.program.is_empty() { "sh" } else { self.program.as_str() };
            let code = format!("{program} {} {}", self.flags, super::quoted(line));
            walk.shell(&Text::known(code), span, &[], None);
        } else if self.is_own() {
            let flags = if self.flags.is_empty() { "-c" } else { self.flags.as_str() };
            let words = self.program.split_whitespace().chain(flags.split_whitespace());
            let mut words: Vec<Argument> =
                words.map(|word| Argument { text: Text::known(word), span }).collect();
            words.push(Argument { text: code, span });
            walk.run(&words, None);
        } else {
            walk.shell(&code, span, &[], None);
        }
    }

    /// Whether it is no shell that is known by its name.
    fn is_own(&self) -> bool {
        const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ash", "env bash"];
        const TOPS: &[&str] = &["/bin/", "/usr/bin/", "/usr/local/bin/", "/usr/bin/env "];
        let program = self.program.as_str();
        let is_known = SHELLS.iter().any(|name| {
            program == *name || TOPS.iter().any(|top| program.strip_prefix(top) == Some(name))
        });
        !program.is_empty() && !is_known && !program.contains('$')
    }
}

/// Reads something as standing in one of the files.
fn within(
    walk: &mut dyn Host,
    files: &[File],
    place: Place,
    task: &str,
    span: Span,
    read: impl FnOnce(&mut dyn Host, Span),
) {
    if let Some(file) = files.get(place.file) {
        walk.in_task(file, task, "makefile", span, |walk| read(walk, place.span));
    }
}

/// The files that an include names: one, or those that a pattern (`$(wildcard mk/*.mk)`) matches in its directory.
fn named(walk: &mut dyn Host, path: String) -> Vec<String> {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let Some((before, after)) = name.split_once('*') else { return vec![path] };
    let Found::Directory(names) = walk.look(directory) else { return Vec::new() };
    let is_meant = |name: &&String| {
        name.starts_with(before)
            && name.ends_with(after)
            && name.len() >= before.len() + after.len()
    };
    let found: Vec<String> =
        names.iter().filter(is_meant).map(|name| format!("{directory}/{name}")).collect();
    for path in &found {
        walk.look(path);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "OUT ?= build\nDIRS := $(OUT) dist\nall: app\n\tcp app $(OUT)\napp: a.o\n\t\
        $(CC) -o $@ $^\nclean:\n\t@rm -rf $(DIRS)\nwipe:\n\trm -rf $(HOME)\ninfo: ; echo $$HOME\n";

    fn of(text: &str, goals: &[&str], given: &[(&str, &str)]) -> (Vec<String>, bool) {
        let mut cut = Cut::default();
        let commands = commands(text, given, Some(goals), &mut cut, Span::default());
        (commands, cut.happened())
    }

    #[test]
    fn a_goal_runs_its_own_recipe_and_those_it_needs() {
        for (goals, expected) in [
            (&[][..], &["cc -o app a.o", "cp app build"][..]),
            (&["clean"], &["rm -rf build dist"]),
            (&["wipe"], &["rm -rf ${HOME}"]),
            (&["info"], &["echo $HOME"]),
            (&["info", "clean"], &["echo $HOME", "rm -rf build dist"]),
        ] {
            assert_eq!(of(FILE, goals, &[]).0, expected, "{goals:?}");
        }
        assert_eq!(of(FILE, &["clean"], &[("OUT", "/")]).0, ["rm -rf / dist"]);
    }

    #[test]
    fn what_is_made_elsewhere_or_by_a_pattern_may_be_any_recipe() {
        assert_eq!(of(FILE, &["other"], &[]).0.len(), 5);
        assert_eq!(of("include x.mk\na:\n\tx\nb:\n\ty\n", &["a"], &[]).0, ["x", "y"]);
    }

    #[test]
    fn conditions_may_choose_each_value() {
        let text = "D = a\nifdef X\nD = b\nelse\nD = c\nendif\na:\n\trm -rf $(D)\n";
        assert_eq!(of(text, &["a"], &[]).0, ["rm -rf c", "rm -rf a", "rm -rf b"]);
        assert_eq!(of("D = a\nD = b\na:\n\trm $(D)\n", &["a"], &[]).0, ["rm b"]);
        assert_eq!(
            of("ifdef W\nSHELL = cmd.exe\nendif\na:\n\tx $(SHELL)\n", &["a"], &[]).0,
            ["x "]
        );
    }

    #[test]
    fn what_is_not_known_is_a_variable_that_nobody_knows() {
        assert_eq!(
            of("D = $(D)\na:\n\trm -rf $(D)\n", &["a"], &[]),
            (vec!["rm -rf ${make_computes}".to_owned()], true)
        );
        assert_eq!(of("a:\n\techo $(shell pwd)\n", &["a"], &[]).0, ["echo $(pwd)"]);
        assert_eq!(of("X := $(shell id -u)\na:\n\tx\n", &["a"], &[]).0, ["id -u", "x"]);
    }

    #[test]
    fn variables_that_grow_without_an_end_are_cut_and_it_is_told() {
        let doubled: String = (1..40).map(|n| format!("V{n} = $(V{0})$(V{0})\n", n - 1)).collect();
        let (commands, is_cut) = of(&format!("V0 = x\n{doubled}a:\n\techo $(V39)\n"), &["a"], &[]);
        assert!(is_cut && commands.iter().map(String::len).sum::<usize>() < 1 << 23);
    }
}
