//! Harmless programs in Python and JavaScript. Owns how the constructs of the tables nest; what a program does is asked of its language,
//! so nothing here knows it.
//!
//! In a construct stands `§T` for the text that the program is about, written in some way, `§D` for another one, `§L` and `§R` for
//! the halves of it, `§1` to `§4` for names, `§A(…)` for an act on a value, `§X` in an act for that value, `§B` for statements, and what
//! [`Writer::literal`] knows for literals that become the text.

use std::collections::BTreeSet;

use super::table::{Construct, Tables};
use crate::random::Random;

/// What a program is about: a kind of act, its texts, and texts that stand in for it.
struct Subject {
    kind: &'static str,
    harmless: &'static [&'static str],
    decoys: &'static [&'static str],
    /// What does harm in the place of the harmless ones.
    harmful: &'static [&'static str],
}

const SUBJECTS: &[Subject] = &[
    Subject {
        kind: "command",
        harmless: &[
            "alpha one two.txt",
            "beta -v --long=value data/b.csv",
            "gamma",
            "delta build out.log",
            "epsilon a.txt -o made.txt",
        ],
        decoys: &["zzfirst", "zzother one", "zzthird -x"],
        harmful: &[
            "rm -rf /home/dev",
            "rm -rf /home/dev/documents",
            "shred -u /home/dev/.ssh/id_rsa",
        ],
    },
    Subject {
        kind: "path",
        harmless: &["a.txt", "data/b.csv", "build/out.log", "notes/todo.md", "data/old/c.txt"],
        decoys: &["zza.txt", "zzdata/zzb.csv", "zz"],
        harmful: &["/home/dev/.bashrc", "/etc/passwd", "/home/dev/.ssh/id_rsa"],
    },
    Subject {
        kind: "tree",
        harmless: &["build", "data/old", "notes"],
        decoys: &["zza", "zzdata/zzold"],
        harmful: &["/home/dev/documents", "/home/dev", "/etc"],
    },
    Subject {
        kind: "new",
        harmless: &["made", "data/made", "build/new.dir"],
        decoys: &["zzmade", "zz.d"],
        harmful: &["/etc/cron.d/made", "/home/dev/.ssh/rc", "/usr/bin/made"],
    },
];

/// Files that are there when a program begins.
pub(super) const FILES: &[&str] =
    &["a.txt", "spare.txt", "data/b.csv", "data/old/c.txt", "build/out.log", "notes/todo.md"];

/// How deep statements nest.
const DEPTH: u32 = 2;

/// How deep a text is written in terms of another one.
const SPELLED: u32 = 3;

/// A program in pieces, each of which stands alone, so that the smallest one that still shows a thing can be found.
pub(super) struct Program {
    pub(super) statements: Vec<String>,
    pub(super) constructs: BTreeSet<&'static str>,
    /// The texts that it is about: commands and paths.
    pub(super) about: Vec<&'static str>,
    is_python: bool,
    /// Of JavaScript: how the modules come in.
    style: u64,
}

/// Which programs are written.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) is_python: bool,
    pub(super) seed: u64,
    pub(super) number: u64,
    /// Whether each does one harmful thing, instead of up to three harmless ones.
    pub(super) is_harmful: bool,
    /// Whether each does one thing.
    pub(super) is_single: bool,
}

/// The kinds of constructs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Value,
    Block,
    Act,
}

/// The program that shows one construct and nothing else; `None` behind the last one.
pub(super) fn alone(
    tables: &Tables,
    is_python: bool,
    is_harmful: bool,
    (kind, at): (Kind, usize),
) -> Option<Program> {
    let rows = match kind {
        Kind::Value => &tables.values,
        Kind::Block => &tables.blocks,
        Kind::Act => &tables.acts,
    };
    let row = *rows.get(at)?;
    let mut writer = Writer {
        random: Random::named(row.name),
        tables,
        used: BTreeSet::new(),
        names: 0,
        is_python,
        is_harmful,
        is_alone: true,
        is_single: true,
        about: Vec::new(),
        left: 8,
    };
    let given = writer.given(row.kind.unwrap_or(if at % 2 == 0 { "command" } else { "path" }));
    let statement = match kind {
        Kind::Value => {
            let (before, value) = row.value();
            let written = writer.written(before, value, given.text, given.subject, 0);
            let act = writer.act(given.subject, &written.inline, true);
            [written.before, act.before, vec![act.inline]].concat()
        }
        Kind::Block => {
            let holes = writer.holes(given.text, given.subject, false, 0);
            writer.expand(row.text, &holes, 0)
        }
        Kind::Act => {
            let value = writer.quoted(given.text);
            let act = writer.act_of(row, &value, true);
            [act.before, vec![act.inline]].concat()
        }
    };
    let constructs = BTreeSet::from([row.name]);
    let about = writer.about;
    Some(Program { statements: vec![statement.join("\n")], constructs, about, is_python, style: 3 })
}

/// The program of this number under a seed.
pub(super) fn program(tables: &Tables, wanted: Wanted) -> Program {
    let Wanted { is_python, seed, number, is_harmful, is_single } = wanted;
    let random = Random::new(seed.wrapping_mul(0x1_0000_0001).wrapping_add(number));
    let mut writer = Writer {
        random,
        tables,
        used: BTreeSet::new(),
        names: 0,
        is_python,
        is_harmful,
        is_alone: false,
        is_single,
        about: Vec::new(),
        left: 8,
    };
    let style = writer.below(4);
    let count = if is_single { 1 } else { 1 + writer.below(3) };
    let statements = (0..count).map(|_| writer.statement(DEPTH).join("\n")).collect();
    Program { statements, constructs: writer.used, about: writer.about, is_python, style }
}

impl Program {
    /// The program as it is run.
    pub(super) fn text(&self) -> String {
        let body = self.statements.join("\n");
        if self.is_python { with_imports(&body) } else { with_modules(&body, self.style) }
    }

    /// The name of its file, by which Node tells what it is.
    pub(super) fn file(text: &str, is_python: bool) -> &'static str {
        match (is_python, text.starts_with("import ")) {
            (true, _) => "program.py",
            (false, true) => "program.mjs",
            (false, false) => "program.cjs",
        }
    }
}

/// Modules of Python that constructs use without saying so.
const MODULES: &[&str] = &[
    "asyncio",
    "base64",
    "codecs",
    "collections",
    "contextlib",
    "copy",
    "dataclasses",
    "enum",
    "functools",
    "io",
    "itertools",
    "json",
    "operator",
    "os",
    "pathlib",
    "re",
    "shlex",
    "shutil",
    "string",
    "subprocess",
    "textwrap",
    "threading",
    "types",
    "typing",
    "urllib.parse",
];

fn with_imports(body: &str) -> String {
    let uses = |module: &&&str| {
        let dotted = format!("{module}.");
        body.match_indices(&dotted).any(|(at, _)| {
            let before = body.get(..at).and_then(|text| text.chars().next_back());
            before.is_none_or(|letter| !(letter.is_alphanumeric() || "_.'\"/".contains(letter)))
        }) || body.contains(&format!("({module},"))
    };
    let used: Vec<&str> = MODULES.iter().filter(uses).copied().collect();
    if used.is_empty() { body.to_owned() } else { format!("import {}\n{body}", used.join(", ")) }
}

fn with_modules(body: &str, style: u64) -> String {
    let mut body = body.to_owned();
    let mut head = String::new();
    let stays_a_script = ["module.", "__filename", "require('events')", "require('module')"];
    let is_module = style == 0 && !stays_a_script.iter().any(|word| body.contains(word));
    if style > 2 {
        return body;
    }
    for (number, name) in
        ["child_process", "fs/promises", "fs", "path", "os", "util", "stream", "events"]
            .iter()
            .enumerate()
    {
        for prefix in ["", "node:"] {
            let call = format!("require('{prefix}{name}')");
            if !body.contains(&call) {
                continue;
            }
            let bound =
                format!("{}{}", name.replace('/', ""), if prefix.is_empty() { "" } else { "N" });
            let bound = if style == 1 { format!("m{number}{bound}") } else { bound };
            body = body.replace(&call, &bound);
            head.push_str(&if is_module {
                format!("import {bound} from '{prefix}{name}';\n")
            } else {
                format!("const {bound} = require('{prefix}{name}');\n")
            });
        }
    }
    format!("{head}{body}")
}

/// What is known while a program is written.
pub(super) struct Writer<'t> {
    random: Random,
    tables: &'t Tables,
    used: BTreeSet<&'static str>,
    names: u32,
    is_python: bool,
    is_harmful: bool,
    /// Whether one construct is shown, with nothing else that could be at fault.
    is_alone: bool,
    /// Whether it does one thing, harmless or harmful in the same words.
    is_single: bool,
    about: Vec<&'static str>,
    /// How many more statements the program may have.
    left: u32,
}

/// A text that is to be written, with what it is.
#[derive(Clone, Copy)]
struct Given {
    subject: &'static Subject,
    text: &'static str,
}

/// What a construct's holes are filled from.
struct Holes<'h> {
    text: &'h str,
    subject: &'static Subject,
    /// Whether values of a path may be more than a text.
    is_root: bool,
    names: Vec<String>,
    cut: usize,
    depth: u32,
}

/// Lines that must stand before, and what stands in the line.
#[derive(Default)]
struct Written {
    before: Vec<String>,
    inline: String,
}

impl Writer<'_> {
    fn below(&mut self, bound: usize) -> u64 {
        self.random.below(bound as u64)
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn choose<T: Copy>(&mut self, choices: &[T]) -> Option<T> {
        let index = usize::try_from(self.below(choices.len())).unwrap_or(0);
        choices.get(index).copied()
    }

    fn names(&mut self) -> Vec<String> {
        const POOL: &[&str] = &["a", "p", "path", "cmd", "value", "x", "data", "f"];
        let mut names: Vec<String> = Vec::new();
        while names.len() < 4 {
            let chances = if self.is_python { 7 } else { 14 };
            let pooled =
                if !self.is_alone && self.one_in(chances) { self.choose(POOL) } else { None };
            let name = match pooled {
                Some(name) => name.to_owned(),
                None => {
                    self.names += 1;
                    let stem = self.choose(&["v", "name", "item", "Part", "t_", "x"]);
                    format!("{}{}", stem.unwrap_or("v"), self.names)
                }
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn subject(&mut self) -> Given {
        let kind = match self.below(6) {
            0..=2 => "command",
            3..=4 => "path",
            _ if self.one_in(2) => "tree",
            _ => "new",
        };
        self.given(kind)
    }

    /// A text of a kind.
    #[expect(clippy::indexing_slicing, reason = "the table has rows")]
    fn given(&mut self, kind: &str) -> Given {
        let subject = SUBJECTS.iter().find(|it| it.kind == kind).unwrap_or(&SUBJECTS[0]);
        let choice = self.below(60);
        let texts = if self.is_harmful { subject.harmful } else { subject.harmless };
        let at = usize::try_from(choice).unwrap_or(0) % texts.len().max(1);
        let text = texts.get(at).copied().unwrap_or("a.txt");
        self.about.push(text);
        Given { subject, text }
    }

    /// A statement as its lines.
    fn statement(&mut self, depth: u32) -> Vec<String> {
        self.left = self.left.saturating_sub(1);
        let given = self.subject();
        let plain = depth == 0 || self.is_alone || self.left == 0 || self.one_in(4);
        let blocks = &self.tables.blocks;
        match if plain { None } else { self.choose(blocks) } {
            Some(block) => {
                self.used.insert(block.name);
                let mut holes =
                    self.holes(given.text, given.subject, false, SPELLED.min(depth + 1));
                holes.is_root = self.one_in(4);
                self.expand(block.text, &holes, depth)
            }
            None => {
                let value = self.value(given.text, given.subject, true, SPELLED);
                let act = self.act(given.subject, &value.inline, true);
                [value.before, act.before, vec![act.inline]].concat()
            }
        }
    }

    fn holes<'h>(
        &mut self,
        text: &'h str,
        subject: &'static Subject,
        is_root: bool,
        depth: u32,
    ) -> Holes<'h> {
        let names = self.names();
        let cut = 1 + usize::try_from(self.below(text.len().saturating_sub(1))).unwrap_or(0);
        Holes { text, subject, is_root, names, cut: cut.min(text.len()), depth }
    }

    /// A text as an expression.
    fn value(
        &mut self,
        text: &str,
        subject: &'static Subject,
        is_root: bool,
        depth: u32,
    ) -> Written {
        if depth == 0 || self.is_alone || self.one_in(4) {
            return Written { before: Vec::new(), inline: self.quoted(text) };
        }
        let is_path = is_root && subject.kind != "command" && !self.is_single;
        let fits: Vec<Construct> = self
            .tables
            .values
            .iter()
            .filter(|row| row.kind.is_none() || is_path)
            .copied()
            .collect();
        let paths: Vec<Construct> = fits.iter().filter(|row| row.kind.is_some()).copied().collect();
        let rows = if !paths.is_empty() && self.one_in(3) { &paths } else { &fits };
        let Some(row) = self.choose(rows) else {
            return Written { before: Vec::new(), inline: self.quoted(text) };
        };
        self.used.insert(row.name);
        let (before, value) = row.value();
        self.written(before, value, text, subject, depth - 1)
    }

    /// A construct that is a value, with its holes filled.
    fn written(
        &mut self,
        before: &str,
        value: &str,
        text: &str,
        subject: &'static Subject,
        depth: u32,
    ) -> Written {
        let holes = self.holes(text, subject, false, depth);
        let mut lines = if before.is_empty() { Vec::new() } else { self.expand(before, &holes, 0) };
        let mut written = self.expand(value, &holes, 0);
        let inline = written.pop().unwrap_or_default();
        // What stands over several lines stands in brackets.
        let continued = inline.starts_with("    ");
        let inline = match (continued, written.pop()) {
            (true, Some(first)) => format!("{first}\n{inline}"),
            (_, first) => {
                written.extend(first);
                inline
            }
        };
        lines.extend(written);
        let atom = inline.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte));
        Written { before: lines, inline: if atom { inline } else { format!("({inline})") } }
    }

    /// An act of a subject's kind on an expression; on one line where it has to be.
    fn act(&mut self, subject: &'static Subject, expression: &str, may_be_long: bool) -> Written {
        let fits: Vec<Construct> = self
            .tables
            .acts
            .iter()
            .filter(|row| {
                row.kind == Some(subject.kind) && (may_be_long || !row.text.contains('\n'))
            })
            .copied()
            .collect();
        let row = if self.is_alone { fits.first().copied() } else { self.choose(&fits) };
        let Some(row) = row else { return Written::default() };
        self.used.insert(row.name);
        self.act_of(row, expression, may_be_long)
    }

    fn act_of(&mut self, row: Construct, expression: &str, may_be_long: bool) -> Written {
        let names = self.names();
        let mut before = Vec::new();
        let mut expression = expression.to_owned();
        if may_be_long && row.text.matches("§X").count() > 1 {
            self.names += 1;
            let name = format!("given{}", self.names);
            let keyword = if self.is_python { "" } else { "const " };
            let end = if self.is_python { "" } else { ";" };
            before.push(format!("{keyword}{name} = {expression}{end}"));
            expression = name;
        }
        let mut text = row.text.to_owned();
        for (at, name) in names.iter().enumerate() {
            text = text.replace(&format!("§{}", at + 1), name);
        }
        let text = text.replace("§X", &expression);
        Written { before, inline: text }
    }

    /// The lines of a construct with its holes filled.
    fn expand(&mut self, text: &str, holes: &Holes<'_>, depth: u32) -> Vec<String> {
        let (mut first, mut lines) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let indent = line.get(..line.len() - line.trim_start().len()).unwrap_or("");
            let rest = line.trim_start();
            if rest == "§B" {
                let inner = self.statement(depth.saturating_sub(1)).join("\n");
                lines.extend(inner.lines().map(|line| format!("{indent}{line}")));
                continue;
            }
            let mut before = Vec::new();
            let filled = match rest.split_once("§A(") {
                Some((lead, given)) => {
                    let expression = given.rsplit_once(')').map_or(given, |(inner, _)| inner);
                    let expression = self.fill(expression, holes, &mut before);
                    let lead_filled = self.fill(lead, holes, &mut before);
                    let act = self.act(holes.subject, &expression, lead.is_empty());
                    before.extend(act.before);
                    format!("{lead_filled}{}", act.inline)
                }
                None => self.fill(rest, holes, &mut before),
            };
            // What a line needs stands right before it where nothing forbids that, else before everything.
            let may = ["return ", "§A(", "§1 = ", "§2 = ", "§1 += "]
                .iter()
                .any(|it| rest.starts_with(it));
            if may && !self.is_alone && self.one_in(2) {
                let before = before.join("\n");
                lines.extend(before.lines().map(|line| format!("{indent}{line}")));
            } else {
                first.extend(before);
            }
            lines.extend(filled.lines().map(|line| format!("{indent}{line}")));
        }
        first.extend(lines);
        first
    }

    /// A line with its holes filled; what it needs before goes to `before`.
    fn fill(&mut self, line: &str, holes: &Holes<'_>, before: &mut Vec<String>) -> String {
        let mut filled = String::new();
        let mut rest = line;
        while let Some((lead, hole)) = rest.split_once('§') {
            filled.push_str(lead);
            let word =
                hole.len() - hole.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
            let (name, behind) = match word {
                0 => hole.split_at_checked(1),
                word => hole.split_at_checked(word),
            }
            .unwrap_or((hole, ""));
            rest = behind;
            let (left, right) = holes.text.split_at_checked(holes.cut).unwrap_or((holes.text, ""));
            let decoy = self.choose(holes.subject.decoys).unwrap_or("zz");
            let written = match name {
                "T" => self.value(holes.text, holes.subject, holes.is_root, holes.depth),
                "L" => self.value(left, holes.subject, false, holes.depth.saturating_sub(1)),
                "R" => self.value(right, holes.subject, false, holes.depth.saturating_sub(1)),
                "D" => {
                    let depth = u32::from(self.one_in(6));
                    self.value(decoy, holes.subject, false, depth)
                }
                "raw" => Written { before: Vec::new(), inline: holes.text.to_owned() },
                "rawR" => Written { before: Vec::new(), inline: right.to_owned() },
                "plainL" => Written { before: Vec::new(), inline: self.quoted(left) },
                "plainR" => Written { before: Vec::new(), inline: self.quoted(right) },
                digit if digit.parse::<usize>().is_ok() => {
                    let at = digit.parse::<usize>().unwrap_or(1).saturating_sub(1);
                    let name = holes.names.get(at).cloned().unwrap_or_default();
                    Written { before: Vec::new(), inline: name }
                }
                literal => Written {
                    before: Vec::new(),
                    inline: self.literal(literal, holes.text, holes.cut),
                },
            };
            before.extend(written.before);
            filled.push_str(&written.inline);
        }
        filled.push_str(rest);
        filled
    }

    pub(super) fn quoted(&mut self, text: &str) -> String {
        if self.one_in(2) { format!("'{text}'") } else { format!("\"{text}\"") }
    }
}
