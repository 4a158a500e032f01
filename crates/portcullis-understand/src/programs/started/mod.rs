//! Files that programs start something from: the registry. A kind of file is a file of this folder and a row here; nothing else has to be
//! touched.
//!
//! What tools evaluate whole (`scripts`) and settings that list commands (`listed`) are tables of their own: a tool is a row there.
//!
//! A row names programs and a function that is given the host and the program with its arguments. It
//!
//! 1. works out which files the program takes, by its manual, and looks at them: `Host::look`, `project::nearest`,
//!    `project::first_in`. A file that nobody has looked at yet is asked for by that and is there the next time round, so all that may be
//!    wanted should be looked at before anything is made of the first;
//! 2. opens each that is there: `Host::in_file`, in which every span is a place in that file;
//! 3. says in it what would run: `Host::shell` for commands, `Host::code` for code, `Host::run` for a program with its words,
//!    `Host::run_file` for a file that is run, `Host::load` for one that is loaded, `Host::mount`, `Host::query`,
//!    `Host::note` for what only a rule says. What a reader of plain text found is said by `run_pieces`.
//!
//! Readers of text (which recipes of a makefile a target runs, which commands a manifest has) are pure functions from text to
//! `Piece`s, so that they can be tested alone. What does not run is not said: a dry run, a list, a question for help starts nothing.

use portcullis_syntax::Span;

use crate::{
    effect::Certainty, hash, programs::host::Host, programs::invocation::Invocation, text::Text,
};

mod ansible;
mod autotools;
mod bazel;
mod braces;
mod cargo;
mod cmake;
pub(crate) mod commands;
mod compiled;
mod compose;
mod configurations;
mod dbt;
mod devcontainer;
mod distributions;
mod dockerfile;
mod dotenv;
mod dotnet;
mod earthfile;
mod editors;
mod environments;
mod evaluators;
mod fed;
mod golang;
mod helm;
mod hooks;
mod idle;
pub(crate) mod imports;
pub(crate) mod interpreters;
mod javascript;
mod just;
mod jvm;
mod linters;
mod listed;
mod literate;
mod loaded;
mod logrotate;
pub mod make;
mod meson;
mod migrations;
pub(crate) mod mocked;
mod named;
mod named_options;
mod ninja;
mod nix;
mod outline;
mod packages;
mod php;
mod project;
mod pytest;
mod revisions;
mod robot;
mod ruby;
mod schedules;
mod scripts;
mod servers;
mod setups;
mod spawned;
mod taskfile;
mod tasks;
mod template;
mod terraform;
mod tex;
mod tree;
mod units;
mod workflows;

/// Programs that start something from files, and how what they start is found.
pub(crate) struct Starter {
    /// The programs, by the names of their rows.
    pub(crate) programs: &'static [&'static str],
    /// Looks for the files and says what of them runs.
    pub(crate) start: fn(&mut dyn Host, &Invocation),
}

/// Every kind.
static STARTERS: &[&Starter] = &[
    &ansible::ANSIBLE,
    &autotools::AUTOTOOLS,
    &bazel::BAZEL,
    &cargo::CARGO,
    &cmake::CMAKE,
    &configurations::COMPILERS,
    &configurations::CURL,
    &configurations::GO,
    &configurations::GPG,
    &configurations::JAVA,
    &configurations::KUBERNETES,
    &configurations::MAVEN,
    &configurations::PROVE,
    &configurations::TMUX,
    &configurations::VIM,
    &configurations::WGET,
    &interpreters::NODE,
    &interpreters::SITES,
    &compose::COMPOSE,
    &dbt::DBT,
    &devcontainer::DEVCONTAINER,
    &distributions::DEBIAN,
    &distributions::RPM,
    &dockerfile::BUILD,
    &dotnet::DOTNET,
    &earthfile::EARTHLY,
    &editors::EDITORS,
    &environments::TASKS,
    &evaluators::CONTROLS,
    &evaluators::DEBUGGER,
    &evaluators::EVALUATORS,
    &evaluators::FORMATTERS,
    &environments::TOX,
    &fed::CLUSTERS,
    &fed::DATABASES,
    &fed::KUSTOMIZE,
    &fed::PODS,
    &golang::GO,
    &helm::HELM,
    &helm::HELMFILE,
    &hooks::DIRENV,
    &hooks::GIT,
    &hooks::HUSKY,
    &hooks::LEFTHOOK,
    &hooks::PRE_COMMIT,
    &javascript::MANAGERS,
    &javascript::RUNNERS,
    &javascript::TOOLS,
    &jvm::ANT,
    &jvm::GRADLE,
    &jvm::MAVEN,
    &linters::LINTERS,
    &literate::DOCUMENTS,
    &make::MAKE,
    &meson::MESON,
    &migrations::MIGRATIONS,
    &ninja::NINJA,
    &nix::NIX,
    &packages::SCRIPTS,
    &php::PHPUNIT,
    &php::SERVER,
    &interpreters::PERL,
    &interpreters::PYDOC,
    &interpreters::PYTHON,
    &interpreters::R,
    &interpreters::RUBY,
    &pytest::PYTEST,
    &robot::ROBOT,
    &ruby::BUNDLER,
    &ruby::GEM,
    &ruby::RAKE,
    &ruby::RSPEC,
    &ruby::VAGRANT,
    &schedules::AT,
    &schedules::CRONTAB,
    &servers::DJANGO,
    &servers::SERVERS,
    &setups::BUILDERS,
    &setups::MODULES,
    &setups::PIP,
    &tasks::COMPOSER,
    &tasks::DENO,
    &tasks::MISE,
    &tasks::MIX,
    &just::JUST,
    &tasks::PROCFILE,
    &tasks::PYTHON,
    &taskfile::TASK,
    &terraform::TERRAFORM,
    &tex::TEX,
    &logrotate::LOGROTATE,
    &units::LAUNCHD,
    &units::SYSTEMD,
    &workflows::ACT,
];

/// How many chains the programs are spread over.
const CHAINS: usize = 256;

/// The kinds that each chain of programs may be of, one bit each, the first one the lowest.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
static MAY_START: [u128; CHAINS] = {
    let mut kinds = [0; CHAINS];
    let mut number = 0;
    while number < STARTERS.len() {
        let programs = STARTERS[number].programs;
        let mut at = 0;
        while at < programs.len() {
            // Were there more kinds than bits, this would overflow, and nothing be built.
            kinds[hash::chain(hash::whole(programs[at]), CHAINS)] |= 1 << number;
            at += 1;
        }
        number += 1;
    }
    kinds
};

/// Says what a program starts from files that were there before.
pub(crate) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    let chain = hash::chain(hash::whole(&invocation.program), CHAINS);
    let mut left = MAY_START.get(chain).copied().unwrap_or_default();
    while left != 0 {
        let starter = STARTERS.get(left.trailing_zeros() as usize);
        left &= left - 1;
        if let Some(starter) = starter
            && starter.programs.contains(&invocation.program.as_str())
        {
            (starter.start)(walk, invocation);
        }
    }
    compiled::follow(walk, invocation);
    named_options::follow(walk, invocation);
    scripts::follow(walk, invocation);
    listed::follow(walk, invocation);
    named::follow(walk, invocation);
}

/// Whether a program is known to start something from files.
pub(crate) fn is_known(program: &str) -> bool {
    STARTERS.iter().any(|starter| starter.programs.contains(&program))
        || scripts::knows(program)
        || listed::knows(program)
}

/// Whether the files of a program are read by a reader of its own, which says what of them runs and what does not; of others only a part is known.
fn is_precise(program: &str) -> bool {
    let partial = [
        &raw const interpreters::SITES,
        &raw const javascript::TOOLS,
        &raw const linters::LINTERS,
        &raw const servers::SERVERS,
    ];
    let is_partial = |starter: &Starter| partial.iter().any(|it| std::ptr::eq(*it, starter));
    STARTERS.iter().any(|starter| starter.programs.contains(&program) && !is_partial(starter))
        || listed::tells_words(program)
}

/// Something in a file that would run.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Piece {
    /// What it is written in: `shell`, `python`, …
    pub(crate) language: &'static str,
    /// Where it stands in the file.
    pub(crate) span: Span,
    /// What is run, where that is not what stands there word for word: quotes taken off, variables of the file put in.
    pub(crate) text: Option<String>,
    /// The directory that it runs in, as the file says it, where it says so.
    pub(crate) directory: Option<String>,
    /// How sure it is that it runs.
    pub(crate) certainty: Certainty,
}

impl Piece {
    /// A command that stands there word for word.
    pub(crate) const fn command(span: Span) -> Self {
        Self { language: "shell", span, text: None, directory: None, certainty: Certainty::Certain }
    }
}

/// Says that pieces of the file that is open run, one after the other, each in a shell or an interpreter of its own. `text` is the
/// whole of the file.
pub(crate) fn run_pieces(walk: &mut dyn Host, text: &str, pieces: &[Piece]) {
    for piece in pieces {
        let Some(written) = text.get(piece.span.range()) else { continue };
        let code = Text::known(piece.text.as_deref().unwrap_or(written));
        let outer = walk.directory().map(str::to_owned);
        if let Some(directory) = &piece.directory {
            let inner = walk.target(&Text::known(directory.as_str())).path;
            walk.go_to(inner);
        }
        walk.at_most(piece.certainty, |walk| walk.code(piece.language, &code, piece.span, &[]));
        walk.go_to(outer);
    }
}

/// The directory above one; none above the root.
fn directory_above(directory: &str) -> Option<String> {
    let (above, last) = directory.rsplit_once('/')?;
    (!last.is_empty() && !above.is_empty()).then(|| above.to_owned())
}

/// A word as a shell is given it.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,@%+".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
