//! What of a file of tasks runs only for a task that nobody asked for. Owns how such places are found in builds of Gradle (docs.gradle.org, "Build
//! Lifecycle"), in files of Rake, and which phases of Maven are reached (maven.apache.org, "Introduction to the Build Lifecycle"). Where it is not
//! plain where a task ends or what it is called, all of it counts.

use std::{collections::BTreeSet, ops::Range};

/// How many tasks of one file are told from each other.
const TASKS: usize = 256;

/// A task of a file.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Task {
    name: String,
    /// The line that begins it.
    head: Range<usize>,
    /// What stands in its block.
    body: Range<usize>,
}

/// Tasks of Gradle that only tell of the build.
const TELLS: &[&str] = &[
    "buildEnvironment",
    "components",
    "dependencies",
    "dependencyInsight",
    "dependentComponents",
    "help",
    "javaToolchains",
    "model",
    "outgoingVariants",
    "projects",
    "properties",
    "resolvableConfigurations",
    "tasks",
];

/// Scripts of one Gradle build without what only tasks do that are not asked for. What a script says while it is evaluated stays: that is all but the
/// actions of tasks, and the commands of tasks whose type is to run one.
pub(super) fn gradle(scripts: &[String], asked: &[&str], is_dry: bool) -> Vec<String> {
    let asked: Vec<&str> = asked.iter().map(|it| it.rsplit(':').next().unwrap_or(it)).collect();
    let asked = if asked.iter().all(|it| TELLS.contains(it)) || is_dry { vec![] } else { asked };
    let tasks: Vec<Vec<Task>> = scripts.iter().map(|text| gradle_tasks(text)).collect();
    let asks = |name: &str| asked.iter().any(|it| abbreviates(it, name));
    // docs.gradle.org, "--dry-run": no action of any task runs.
    let wanted = if is_dry { BTreeSet::new() } else { wanted(scripts, &tasks, &asks) };
    let each = scripts.iter().zip(&tasks).map(|(text, tasks)| {
        let mut kept = text.clone();
        for task in tasks.iter().filter(|task| !wanted.contains(&task.name)) {
            for action in actions(text, task) {
                blank(&mut kept, action);
            }
        }
        kept
    });
    each.collect()
}

/// The names of the tasks that are asked for, or that anything mentions which runs: another of them, or what stands outside of tasks.
fn wanted(texts: &[String], tasks: &[Vec<Task>], asks: &dyn Fn(&str) -> bool) -> BTreeSet<String> {
    let all: BTreeSet<&str> = tasks.iter().flatten().map(|task| task.name.as_str()).collect();
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    let mut open: Vec<String> =
        all.iter().filter(|it| asks(it)).map(|it| (*it).to_owned()).collect();
    for (text, tasks) in texts.iter().zip(tasks) {
        let mut at = 0;
        for task in tasks {
            open.extend(words(text.get(at..task.head.start).unwrap_or_default()));
            at = task.body.end.max(at);
        }
        open.extend(words(text.get(at..).unwrap_or_default()));
    }
    while let Some(name) = open.pop() {
        if !all.contains(name.as_str()) || !wanted.insert(name.clone()) {
            continue;
        }
        for (text, tasks) in texts.iter().zip(tasks) {
            for task in tasks.iter().filter(|task| task.name == name) {
                open.extend(words(text.get(task.head.start..task.body.end).unwrap_or_default()));
            }
        }
    }
    wanted
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|it: char| !it.is_alphanumeric() && it != '_' && it != '-');
    parts.filter(|it| !it.is_empty()).map(str::to_owned)
}

/// `dP` is `deployProd` (docs.gradle.org, "Name abbreviation").
fn abbreviates(short: &str, name: &str) -> bool {
    let humps = |text: &str| -> Vec<String> {
        let mut parts: Vec<String> = vec![String::new()];
        for letter in text.chars() {
            if letter.is_uppercase() || letter == '-' {
                parts.push(String::new());
            }
            parts.last_mut().map(|part| part.push(letter)).unwrap_or_default();
        }
        parts
    };
    let (short, name) = (humps(short), humps(name));
    short.len() <= name.len()
        && short.iter().zip(&name).all(|(short, name)| name.starts_with(short.as_str()))
}

/// The tasks of a script that have a block and a name that is written out.
fn gradle_tasks(text: &str) -> Vec<Task> {
    const BEGIN: &[&str] =
        &["tasks.register(", "tasks.create(", "tasks.register<", "tasks.create<", "task "];
    let mut tasks: Vec<Task> = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let line = rest.split_inclusive('\n').next().unwrap_or(rest);
        let from = at + line.len() - line.trim_start().len();
        let bare = line.trim();
        at += line.len();
        let begins = BEGIN.iter().find_map(|word| bare.strip_prefix(word));
        let by = || {
            let (head, _) = bare.split_once(" by tasks.")?;
            head.strip_prefix("val ").map(str::trim)
        };
        let name = match begins {
            Some(rest) => {
                let rest = if bare.starts_with("tasks.") && rest.contains(">(") {
                    rest.split_once(">(").map_or("", |it| it.1)
                } else {
                    rest
                };
                rest.trim_start_matches(['(', '"', '\'', ' '])
                    .split(|it: char| !it.is_alphanumeric() && it != '_' && it != '-')
                    .next()
                    .unwrap_or_default()
            }
            None => by().unwrap_or_default(),
        };
        if name.is_empty() || tasks.len() >= TASKS {
            continue;
        }
        // The block opens on the same line.
        let Some(open) = bare.ends_with('{').then_some(from + bare.len() - 1) else { continue };
        let Some(close) = closing(text, open) else { return Vec::new() };
        tasks.push(Task { name: name.to_owned(), head: from..open, body: open + 1..close });
        at = close + 1;
    }
    tasks
}

/// Where the block that opens at `open` ends; texts and comments are passed over.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut letters = text.get(open..)?.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '{' => depth += 1,
            '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(open + at);
                }
            }
            '"' | '\'' => {
                let rest = text.get(open + at..)?;
                let triple: String = std::iter::repeat_n(letter, 3).collect();
                let close = if rest.starts_with(&triple) { triple } else { letter.to_string() };
                let length = quoted(rest, &close)?;
                while letters.peek().is_some_and(|(next, _)| *next < at + length) {
                    letters.next();
                }
            }
            '/' => {
                let rest = text.get(open + at..)?;
                let length = if rest.starts_with("//") {
                    rest.find('\n').unwrap_or(rest.len())
                } else if rest.starts_with("/*") {
                    rest.find("*/")? + 2
                } else if rest.starts_with("/")
                    && rest.lines().next().is_some_and(|it| it.contains(['{', '}', '"']))
                {
                    // A pattern, or a division: what the braces behind it belong to is not plain.
                    return None;
                } else {
                    1
                };
                while letters.peek().is_some_and(|(next, _)| *next < at + length) {
                    letters.next();
                }
            }
            _ => {}
        }
    }
    None
}

/// How long a text in quotes is.
fn quoted(text: &str, close: &str) -> Option<usize> {
    let mut at = close.len();
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with(close) {
            return Some(at + close.len());
        }
        let letter = rest.chars().next()?;
        at += letter.len_utf8();
        if letter == '\\' {
            at += text.get(at..)?.chars().next()?.len_utf8();
        }
    }
}

/// What a task does when it runs: `doLast { … }`, and what a task of a type is told to run or to delete.
fn actions(text: &str, task: &Task) -> Vec<Range<usize>> {
    const TOLD: &[&str] = &["args", "commandLine", "delete", "executable"];
    let head = text.get(task.head.clone()).unwrap_or_default();
    let is_typed = ["Exec", "Delete", "JavaExec"].iter().any(|kind| head.contains(kind));
    let body = text.get(task.body.clone()).unwrap_or_default();
    let mut found = Vec::new();
    let mut at = 0;
    let mut depth = 0_usize;
    for line in body.split_inclusive('\n') {
        let from = task.body.start + at;
        let bare = line.trim();
        at += line.len();
        if depth == 0 {
            let begins = ["doLast", "doFirst"].iter().any(|it| bare.starts_with(it));
            let open = line.find('{').map(|place| from + place);
            if let Some(open) = open.filter(|_| begins)
                && let Some(close) = closing(text, open)
            {
                found.push(open + 1..close);
            }
            let is_told = is_typed
                && TOLD.iter().any(|word| {
                    let rest = bare.strip_prefix(word);
                    rest.is_some_and(|rest| rest.starts_with([' ', '(', '=']))
                })
                // What another call computes for it runs while it is told.
                && !bare.contains("execute(")
                && !bare.contains('{');
            let is_whole = bare.matches(['(', '[']).count() == bare.matches([')', ']']).count();
            if is_told && is_whole && !bare.ends_with([',', '+', '\\']) {
                found.push(from..from + line.trim_end().len());
            }
        }
        for letter in line.chars() {
            match letter {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    found
}

/// Puts blanks in the place of a part of a text, but for the ends of its lines.
fn blank(text: &mut String, part: Range<usize>) {
    let Some(old) = text.get(part.clone()) else { return };
    let new: String = old
        .chars()
        .map(|it| if it == '\n' { "\n".to_owned() } else { " ".repeat(it.len_utf8()) })
        .collect();
    text.replace_range(part, &new);
}

/// Files of tasks of Rake without the blocks of those that are not asked for, nor needed by any that is (ruby.github.io/rake, "Rakefile Format").
/// None runs where nothing is asked for.
pub(super) fn rake(texts: &[String], asked: &[&str]) -> Vec<String> {
    let tasks: Vec<Vec<Task>> = texts.iter().map(|text| rake_tasks(text)).collect();
    let asked: Vec<&str> = asked
        .iter()
        .map(|it| it.split('[').next().unwrap_or(it))
        .map(|it| it.rsplit(':').next().unwrap_or(it))
        .collect();
    let wanted = wanted(texts, &tasks, &|name| asked.contains(&name));
    let each = texts.iter().zip(&tasks).map(|(text, tasks)| {
        let mut kept = text.clone();
        for task in tasks.iter().filter(|task| !wanted.contains(&task.name)) {
            blank(&mut kept, task.body.clone());
        }
        kept
    });
    each.collect()
}

/// `task :name => [:other] do … end`, where the last line stands as far in as the first and all between further.
fn rake_tasks(text: &str) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let line = rest.split_inclusive('\n').next().unwrap_or(rest);
        let start = at;
        at += line.len();
        let bare = line.trim();
        let indent = line.len() - line.trim_start().len();
        let named = ["task ", "multitask "].iter().find_map(|word| bare.strip_prefix(word));
        let Some(named) = named else { continue };
        let block = bare.rsplit_once(" do").map(|(_, rest)| rest.trim());
        let opens = block
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('|') && rest.ends_with('|'));
        let name = named.trim_start_matches([':', '"', '\'']);
        let end = name.find(|it: char| !it.is_alphanumeric() && it != '_' && it != '-');
        let name = name.get(..end.unwrap_or(name.len())).unwrap_or_default();
        let is_literal = named.starts_with([':', '"', '\''])
            || named.get(name.len()..).is_some_and(|rest| rest.starts_with(':'));
        if !opens || name.is_empty() || !is_literal || tasks.len() >= TASKS {
            continue;
        }
        let Some(length) = block_of(text.get(at..).unwrap_or_default(), indent) else { continue };
        tasks.push(Task { name: name.to_owned(), head: start..at, body: at..at + length });
        at += length;
    }
    tasks
}

/// How long a block is of which each line stands further in than this, up to the `end` that stands there. Nothing where another `end` may close it.
fn block_of(text: &str, indent: usize) -> Option<usize> {
    const BEGIN: &[&str] =
        &["begin", "case", "class", "def", "for", "if", "module", "unless", "until", "while"];
    let mut depth = 1_usize;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        let stands = line.len() - line.trim_start().len();
        let first =
            bare.split(|it: char| !it.is_alphanumeric() && it != '_').next().unwrap_or_default();
        if bare == "end" && stands == indent {
            return (depth == 1).then_some(at);
        }
        // Texts over several lines, and code that closes blocks within a line.
        let is_odd =
            ["<<", "=begin", "__END__", "%q", "%Q", ";"].iter().any(|it| bare.contains(it))
                || !bare.is_empty() && stands <= indent;
        if is_odd && !bare.starts_with('#') {
            return None;
        }
        at += line.len();
        if bare.starts_with('#') {
            continue;
        }
        let block = bare.rsplit_once(" do").map(|(_, rest)| rest.trim());
        let opens_block = block
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('|') && rest.ends_with('|'));
        let opens_value =
            ["= if ", "= case", "= begin", "= unless "].iter().any(|it| bare.contains(it));
        // `while x do` is one block.
        depth += usize::from(BEGIN.contains(&first) || opens_block || opens_value);
        if first == "end" {
            depth = depth.checked_sub(1).filter(|depth| *depth > 0)?;
        }
    }
    None
}

/// The phases of Maven's lifecycles, in their order.
const LIFECYCLES: &[&[&str]] = &[
    &["pre-clean", "clean", "post-clean"],
    &[
        "validate",
        "initialize",
        "generate-sources",
        "process-sources",
        "generate-resources",
        "process-resources",
        "compile",
        "process-classes",
        "generate-test-sources",
        "process-test-sources",
        "generate-test-resources",
        "process-test-resources",
        "test-compile",
        "process-test-classes",
        "test",
        "prepare-package",
        "package",
        "pre-integration-test",
        "integration-test",
        "post-integration-test",
        "verify",
        "install",
        "deploy",
    ],
    &["pre-site", "site", "post-site", "site-deploy"],
];

/// Whether a phase is reached where these are asked for. A goal of a plugin, a phase that is not known and none at all may reach any.
pub(super) fn reaches(asked: &[&str], phase: &str) -> bool {
    let place = |name: &str| {
        let each = LIFECYCLES.iter().enumerate();
        each.filter_map(|(cycle, names)| Some((cycle, names.iter().position(|it| *it == name)?)))
            .next()
    };
    if phase == "none" {
        return false;
    }
    let Some((cycle, at)) = place(phase) else { return true };
    asked.is_empty()
        || asked.iter().any(|asked| match place(asked) {
            Some((other, upto)) => other == cycle && at <= upto,
            None => true,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_task_of_gradle_does_is_left_out_where_nobody_asks_for_it() {
        let script = "println 'a'\ntasks.register('deployProd', Exec) {\n    group = 'b'\n    commandLine 'sh', '-c', 'c'\n}\ntask wipe(type: Delete) {\n    delete 'd'\n    doLast {\n        'e'.execute()\n    }\n    'f'.execute()\n}\nval up by tasks.registering(Exec::class) {\n    commandLine(\"g\")\n}\n".to_owned();
        let kept = |asked: &[&str]| {
            let kept = gradle(std::slice::from_ref(&script), asked, false).remove(0);
            assert_eq!(kept.len(), script.len());
            ["'a'", "'b'", "'c'", "'d'", "'e'", "'f'", "\"g\""]
                .into_iter()
                .filter(|mark| kept.contains(mark))
                .collect::<String>()
        };
        assert_eq!(kept(&["tasks"]), "'a''b''f'");
        assert_eq!(kept(&["test"]), "'a''b''f'");
        assert_eq!(kept(&["dP"]), "'a''b''c''f'");
        assert_eq!(kept(&[":app:wipe"]), "'a''b''d''e''f'");
        assert_eq!(kept(&["up"]), "'a''b''f'\"g\"");
        let script = format!("{script}check.dependsOn deployProd\n");
        assert!(gradle(&[script], &["check"], false).remove(0).contains("'c'"));
        let odd = "task a {\n  doLast {\n    x = y / { }\n    'e'.execute()\n  }\n}\n".to_owned();
        assert!(gradle(&[odd], &["b"], false).remove(0).contains("'e'"));
    }

    #[test]
    fn what_a_task_of_rake_does_is_left_out_where_nobody_asks_for_it() {
        let text = "sh 'a'\nnamespace :db do\n  task :dump do\n    sh 'b' if x\n    [1].each do |it|\n      sh 'c'\n    end\n  end\n  task wipe: :dump do |t|\n    sh 'd'\n  end\nend\ntask name do\n  sh 'e'\nend\n".to_owned();
        let kept = |asked: &[&str]| {
            let kept = rake(std::slice::from_ref(&text), asked).remove(0);
            assert_eq!(kept.len(), text.len());
            ["'a'", "'b'", "'c'", "'d'", "'e'"]
                .into_iter()
                .filter(|mark| kept.contains(mark))
                .collect::<String>()
        };
        assert_eq!(kept(&[]), "'a''e'");
        assert_eq!(kept(&["db:dump"]), "'a''b''c''e'");
        assert_eq!(kept(&["db:wipe[x]"]), "'a''b''c''d''e'");
        // What stands out is no longer the task's.
        for odd in [
            "task :a do\n  end\n  sh 'z'\n  begin\nend\n",
            "task :a do\n  x; end\n  sh 'z'\n  if y\nend\n",
        ] {
            assert!(rake(&[odd.to_owned()], &[]).remove(0).contains("'z'"), "{odd}");
        }
    }

    #[test]
    fn phases_are_reached_in_their_order() {
        for (asked, phase, expected) in [
            (&["clean"][..], "deploy", false),
            (&["clean", "deploy"], "deploy", true),
            (&["verify"], "test", true),
            (&["test"], "package", false),
            (&["site"], "deploy", false),
            (&["exec:exec"], "deploy", true),
            (&[], "deploy", true),
            (&["clean"], "${phase}", true),
            (&["deploy"], "none", false),
        ] {
            assert_eq!(reaches(asked, phase), expected, "{asked:?} {phase}");
        }
    }
}
