//! Variables and functions of a makefile filled in. Owns `$(NAME)`, `$(NAME:a=b)`, automatic variables and the functions that texts are
//! made with. What a command prints stands as that command in a substitution of the shell; a variable that nothing sets as one of the shell.

use std::collections::BTreeMap;

use super::makefile::Makefile;

/// How much is filled in altogether, in bytes.
const BYTES: usize = 1 << 21;

/// What stands for what is not filled in any more: a variable that nobody knows.
const COMPUTED: &str = "${make_computes}";

/// How deep values name values.
const DEPTH: usize = 24;

/// Values on the command line and of the target at hand.
#[derive(Debug)]
pub(super) struct Values {
    given: BTreeMap<String, String>,
    automatic: BTreeMap<String, String>,
    directory: String,
    left: usize,
    commands: Option<Vec<String>>,
    /// Which of the values that conditions choose among are taken.
    choice: usize,
    is_cut: bool,
    /// What stands in files that `$(file < …)` reads, and the names of those that nobody has looked at yet.
    read: BTreeMap<String, String>,
    wanted: Vec<String>,
    /// Lines that `$(eval …)` has read as part of the makefile.
    lines: Vec<String>,
}

/// Variables that make has by itself and that begin a command (GNU make manual, "Catalogue of Built-In Rules"), sorted: what stands behind one of
/// them is compiled, not run.
const BUILT_IN: &[(&str, &str)] = &[
    ("AS", "as"),
    ("CHECKOUT,v", "co"),
    ("COMPILE.C", COMPILE_CXX),
    ("COMPILE.F", "$(FC) $(FFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("COMPILE.S", "$(CC) $(ASFLAGS) $(CPPFLAGS) $(TARGET_MACH) -c"),
    ("COMPILE.c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("COMPILE.cc", COMPILE_CXX),
    ("COMPILE.cpp", COMPILE_CXX),
    ("COMPILE.f", "$(FC) $(FFLAGS) $(TARGET_ARCH) -c"),
    ("COMPILE.m", "$(OBJC) $(OBJCFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("COMPILE.p", "$(PC) $(PFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("COMPILE.s", "$(AS) $(ASFLAGS) $(TARGET_MACH)"),
    ("CPP", "$(CC) -E"),
    ("CTANGLE", "ctangle"),
    ("CWEAVE", "cweave"),
    ("FC", "f77"),
    ("LD", "ld"),
    ("LEX", "lex"),
    ("LEX.l", "$(LEX) $(LFLAGS) -t"),
    ("LINK.C", LINK_CXX),
    ("LINK.F", "$(FC) $(FFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.S", "$(CC) $(ASFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_MACH)"),
    ("LINK.c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.cc", LINK_CXX),
    ("LINK.cpp", LINK_CXX),
    ("LINK.f", "$(FC) $(FFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.m", "$(OBJC) $(OBJCFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.o", "$(CC) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.p", "$(PC) $(PFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.s", "$(CC) $(ASFLAGS) $(LDFLAGS) $(TARGET_MACH)"),
    ("LINT", "lint"),
    ("LINT.c", "$(LINT) $(LINTFLAGS) $(CPPFLAGS) $(TARGET_ARCH)"),
    ("M2C", "m2c"),
    ("MAKEINFO", "makeinfo"),
    ("OBJC", "cc"),
    ("PC", "pc"),
    ("PREPROCESS.F", "$(FC) $(FFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -F"),
    ("PREPROCESS.S", "$(CC) -E $(CPPFLAGS)"),
    ("TANGLE", "tangle"),
    ("TEX", "tex"),
    ("TEXI2DVI", "texi2dvi"),
    ("WEAVE", "weave"),
    ("YACC", "yacc"),
    ("YACC.y", "$(YACC) $(YFLAGS)"),
];

const COMPILE_CXX: &str = "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c";

const LINK_CXX: &str = "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)";

/// What make itself sets a variable to, where nothing else does.
fn built_in(name: &str) -> Option<&'static str> {
    let at = BUILT_IN.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    BUILT_IN.get(at).map(|(_, value)| *value)
}

impl Values {
    pub(super) fn new(directory: &str, given: &[(String, String)]) -> Self {
        Self {
            given: given.iter().cloned().collect(),
            automatic: BTreeMap::new(),
            directory: directory.to_owned(),
            left: BYTES,
            commands: None,
            choice: 0,
            is_cut: false,
            read: BTreeMap::new(),
            wanted: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Whether there was more than is filled in.
    pub(super) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// How many bytes were filled in.
    pub(super) const fn filled(&self) -> usize {
        BYTES.saturating_sub(self.left)
    }

    /// Something is not followed further.
    pub(super) const fn cut(&mut self) {
        self.is_cut = true;
    }

    /// The files that `$(file < …)` names and that were not given yet.
    pub(super) fn wanted(&mut self) -> Vec<String> {
        std::mem::take(&mut self.wanted)
    }

    /// Gives what stands in a file.
    pub(super) fn give(&mut self, name: String, text: String) {
        self.read.insert(name, text);
    }

    /// The lines that `$(eval …)` has read next.
    pub(super) fn evaluated(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    /// Takes other values where conditions choose.
    pub(super) const fn choose(&mut self, choice: usize) {
        self.choice = choice;
    }

    /// The names that a recipe has its target and what it needs by.
    pub(super) fn set_automatic(&mut self, target: &str, needed: &str, stem: &str) {
        let first = needed.split_whitespace().next().unwrap_or_default();
        for (name, value) in
            [("@", target), ("<", first), ("^", needed), ("+", needed), ("?", needed), ("*", stem)]
        {
            self.automatic.insert(name.to_owned(), value.to_owned());
            let directory = value.rsplit_once('/').map_or(".", |(directory, _)| directory);
            let file = value.rsplit('/').next().unwrap_or_default();
            self.automatic.insert(format!("{name}D"), directory.to_owned());
            self.automatic.insert(format!("{name}F"), file.to_owned());
        }
    }

    /// A text with everything filled in.
    pub(super) fn expanded(&mut self, make: &Makefile, text: &str) -> String {
        self.fill(make, text, 0)
    }

    /// The commands of each `$(shell …)` in a text, also behind variables.
    pub(super) fn commands_in(&mut self, make: &Makefile, text: &str) -> Vec<String> {
        let outer = self.commands.replace(Vec::new());
        self.fill(make, text, 0);
        std::mem::replace(&mut self.commands, outer).unwrap_or_default()
    }

    fn fill(&mut self, make: &Makefile, text: &str, depth: usize) -> String {
        if !text.contains('$') {
            self.left = self.left.saturating_sub(text.len());
            return text.to_owned();
        }
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            if self.left == 0 || depth >= DEPTH {
                self.is_cut = true;
                filled.push_str(COMPUTED);
                return filled;
            }
            filled.push_str(rest.get(..at).unwrap_or_default());
            rest = rest.get(at + 1..).unwrap_or_default();
            let Some(letter) = rest.chars().next() else { break };
            match letter {
                '$' => filled.push('$'),
                '(' | '{' => {
                    let inner = enclosed(rest);
                    let value = self.reference(make, inner, depth + 1);
                    filled.push_str(&value);
                    let length = inner.len() + 2;
                    rest = rest.get(length.min(rest.len())..).unwrap_or_default();
                    continue;
                }
                _ => {
                    let name = letter.to_string();
                    let value = self.variable(make, &name, depth + 1);
                    filled.push_str(&value);
                }
            }
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        }
        filled.push_str(rest);
        self.left = self.left.saturating_sub(filled.len());
        filled
    }

    fn variable(&mut self, make: &Makefile, name: &str, depth: usize) -> String {
        if let Some(value) = self.automatic.get(name).or_else(|| self.given.get(name)) {
            return value.clone();
        }
        if let Some(value) = make.chosen(name, self.choice) {
            let value = value.clone();
            return self.fill(make, &value, depth);
        }
        match name {
            "CURDIR" => self.directory.clone(),
            // Those that were read, the one in question last; what is asked of it is the directory.
            "MAKEFILE_LIST" => format!("{}/Makefile", self.directory),
            "MAKE" => "make".to_owned(),
            "RM" => "rm -f".to_owned(),
            "CC" => "cc".to_owned(),
            "CXX" => "g++".to_owned(),
            "AR" => "ar".to_owned(),
            name if let Some(tool) = built_in(name) => self.fill(make, tool, depth),
            "MAKEFLAGS" | "MFLAGS" | "CFLAGS" | "CPPFLAGS" | "CXXFLAGS" | "LDFLAGS" | "LDLIBS"
            | "ARFLAGS" | "ASFLAGS" | "FFLAGS" | "LFLAGS" | "LINTFLAGS" | "OBJCFLAGS"
            | "PFLAGS" | "TARGET_ARCH" | "TARGET_MACH" | "YFLAGS" | "SHELL" | ".SHELLFLAGS"
            | "@" | "<" | "^" | "*" | "?" | "+" => String::new(),
            name if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                && name
                    .starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_') =>
            {
                format!("${{{name}}}")
            }
            _ => String::new(),
        }
    }

    fn reference(&mut self, make: &Makefile, inner: &str, depth: usize) -> String {
        if let Some((name, arguments)) = inner.split_once([' ', '\t', '\n'])
            && FUNCTIONS.contains(&name)
        {
            return self.function(make, name, arguments.trim_start(), depth);
        }
        let name = self.fill(make, inner, depth);
        if let Some((name, change)) = name.split_once(':')
            && let Some((from, to)) = change.split_once('=')
        {
            let value = self.variable(make, name, depth);
            let (from, to) = match from.contains('%') {
                true => (from.to_owned(), to.to_owned()),
                false => (format!("%{from}"), format!("%{to}")),
            };
            return patsubst(&from, &to, &value);
        }
        self.variable(make, &name, depth)
    }

    fn function(&mut self, make: &Makefile, name: &str, text: &str, depth: usize) -> String {
        let arguments = arguments(text);
        let mut filled = |at: usize| {
            let text = arguments.get(at).copied().unwrap_or_default();
            self.fill(make, text, depth)
        };
        match name {
            "shell" => {
                let code = self.fill(make, text, depth);
                if let Some(commands) = &mut self.commands {
                    commands.push(code.clone());
                }
                format!("$({code})")
            }
            "subst" => {
                let (from, to) = (filled(0), filled(1));
                let text = filled(2);
                if from.is_empty() { text } else { text.replace(&from, &to) }
            }
            "patsubst" => patsubst(&filled(0), &filled(1), &filled(2)),
            "addprefix" => {
                let (prefix, words) = (filled(0), filled(1));
                each(&words, |word| format!("{prefix}{word}"))
            }
            "addsuffix" => {
                let (suffix, words) = (filled(0), filled(1));
                each(&words, |word| format!("{word}{suffix}"))
            }
            "notdir" => {
                each(&filled(0), |word| word.rsplit('/').next().unwrap_or_default().to_owned())
            }
            "dir" => each(&filled(0), |word| {
                word.rsplit_once('/')
                    .map_or("./".to_owned(), |(directory, _)| format!("{directory}/"))
            }),
            "basename" => each(&filled(0), |word| {
                word.rsplit_once('.').map_or(word, |(stem, _)| stem).to_owned()
            }),
            "firstword" => filled(0).split_whitespace().next().unwrap_or_default().to_owned(),
            "lastword" => filled(0).split_whitespace().next_back().unwrap_or_default().to_owned(),
            "if" => {
                let holds = !filled(0).trim().is_empty();
                filled(if holds { 1 } else { 2 })
            }
            "or" => {
                (0..arguments.len()).map(&mut filled).find(|it| !it.is_empty()).unwrap_or_default()
            }
            "and" => (0..arguments.len()).map(&mut filled).last().unwrap_or_default(),
            "call" => {
                let name = filled(0);
                let given: Vec<String> = (1..arguments.len()).map(&mut filled).collect();
                let outer = self.automatic.clone();
                for (at, value) in given.into_iter().enumerate() {
                    self.automatic.insert((at + 1).to_string(), value);
                }
                let value = self.variable(make, name.trim(), depth);
                self.automatic = outer;
                value
            }
            "foreach" => {
                let (name, words) = (filled(0), filled(1));
                let body = arguments.get(2).copied().unwrap_or_default();
                let before = self.automatic.get(name.trim()).cloned();
                let mut all = Vec::new();
                for word in words.split_whitespace() {
                    if self.left == 0 {
                        self.is_cut = true;
                        all.push(COMPUTED.to_owned());
                        break;
                    }
                    self.automatic.insert(name.trim().to_owned(), word.to_owned());
                    all.push(self.fill(make, body, depth));
                }
                match before {
                    Some(value) => self.automatic.insert(name.trim().to_owned(), value),
                    None => self.automatic.remove(name.trim()),
                };
                all.join(" ")
            }
            "filter" | "filter-out" | "word" | "wordlist" => {
                let last = arguments.len().saturating_sub(1);
                filled(last)
            }
            "eval" => {
                let line = self.fill(make, text, depth);
                self.lines.push(line);
                String::new()
            }
            "file" => {
                let told = filled(0);
                let told = told.trim();
                if let Some(name) = told.strip_prefix('>') {
                    let (operator, name) = match name.strip_prefix('>') {
                        Some(name) => (">>", name.trim()),
                        None => (">", name.trim()),
                    };
                    let lines: Vec<String> = (1..arguments.len()).map(&mut filled).collect();
                    let line = super::super::quoted(&lines.join(","));
                    let code = format!("printf '%s\\n' {line} {operator} {name}");
                    // In a recipe it is done where it stands.
                    let Some(commands) = &mut self.commands else { return code };
                    commands.push(code);
                    return String::new();
                }
                let Some(name) = told.strip_prefix('<').map(str::trim) else {
                    return String::new();
                };
                if let Some(text) = self.read.get(name) {
                    return text.trim_end_matches('\n').to_owned();
                }
                self.wanted.push(name.to_owned());
                String::new()
            }
            "info" | "warning" | "error" => {
                (0..arguments.len()).for_each(|at| {
                    filled(at);
                });
                String::new()
            }
            "value" => make.variables.get(text.trim()).cloned().unwrap_or_default(),
            "origin" | "flavor" => "file".to_owned(),
            // `wildcard`, `sort`, `strip`, `abspath`, `realpath`, `words`…: as it stands.
            _ => filled(0).trim().to_owned(),
        }
    }
}

const FUNCTIONS: &[&str] = &[
    "abspath",
    "addprefix",
    "addsuffix",
    "and",
    "basename",
    "call",
    "dir",
    "error",
    "eval",
    "file",
    "filter",
    "filter-out",
    "findstring",
    "firstword",
    "flavor",
    "foreach",
    "if",
    "info",
    "join",
    "lastword",
    "notdir",
    "or",
    "origin",
    "patsubst",
    "realpath",
    "shell",
    "sort",
    "strip",
    "subst",
    "suffix",
    "value",
    "warning",
    "wildcard",
    "word",
    "wordlist",
    "words",
];

/// What stands in the brackets that a text begins with.
fn enclosed(text: &str) -> &str {
    let mut letters = text.char_indices();
    let Some((_, open)) = letters.next() else { return "" };
    let close = if open == '(' { ')' } else { '}' };
    let mut depth = 1_usize;
    let end = letters.find_map(|(at, letter)| {
        depth += usize::from(letter == open);
        depth -= usize::from(letter == close);
        (depth == 0).then_some(at)
    });
    text.get(1..end.unwrap_or(text.len())).unwrap_or_default()
}

/// The arguments of a function, at the commas outside of brackets.
fn arguments(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut from = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text.get(from..at).unwrap_or_default());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(from..).unwrap_or_default());
    parts
}

fn each(words: &str, change: impl Fn(&str) -> String) -> String {
    words.split_whitespace().map(change).collect::<Vec<_>>().join(" ")
}

fn patsubst(from: &str, to: &str, words: &str) -> String {
    let Some((before, after)) = from.split_once('%') else {
        return each(words, |word| if word == from { to.to_owned() } else { word.to_owned() });
    };
    each(words, |word| match word.strip_prefix(before).and_then(|word| word.strip_suffix(after)) {
        Some(stem) => to.replacen('%', stem, 1),
        None => word.to_owned(),
    })
}
