//! Variables of the environment that name settings, options, programs or places of packages. Owns the table and what is said
//! of a value; that a program obeys or runs others stands in the table of variables around this.

use portcullis_syntax::Span;

use super::{
    by_manual::written_in_variable,
    follow::options_of,
    make::{make_variables, makefile},
    obeyed::{Variable, variable},
    settings::{self, Settings},
    temporary::{is_anybodys, names_temporary},
    unlisted, variables, vim,
    words::words_of,
};
use crate::{
    effect::{Argument, GapReason},
    facts::Facts,
    place,
    programs::{host::Host, started},
    text::Text,
};

/// What a variable holds.
#[derive(Clone, Copy, Debug)]
enum Holds {
    /// The name of a directory of settings or programs.
    Directory,
    /// The name of a file of settings.
    File(Settings),
    /// Keys and variables of less, as lesskey(1) has them.
    Keys,
    /// The name of a library that is loaded.
    Library,
    /// Options of this program.
    Options(&'static str),
    /// A program that stands in for one which is trusted, and is run as a command by the table of variables.
    Program,
    /// Commands of Vim.
    Vim,
}

/// Variables that hold such a thing, sorted. Sources: docker(1), containers.conf(5), git(1), make(1), man(1), npm's config(7),
/// rsync(1), ssh(1), tar(1), `:help VIMINIT`, yarn's configuration.
static HOLDERS: &[(&str, Holds)] = &[
    ("ACLOCAL", Holds::Program),
    ("AUTOCONF", Holds::Program),
    ("AUTOHEADER", Holds::Program),
    ("AUTOM4TE", Holds::Program),
    ("AUTOMAKE", Holds::Program),
    ("AUTOPOINT", Holds::Program),
    ("AUTOSSH_PATH", Holds::Program),
    ("AWS_CONFIG_FILE", Holds::File(Settings::Opaque)),
    ("AWS_SHARED_CREDENTIALS_FILE", Holds::File(Settings::Opaque)),
    ("CONTAINERS_CONF", Holds::File(Settings::Opaque)),
    ("CONTAINERS_CONF_OVERRIDE", Holds::File(Settings::Opaque)),
    ("CONTAINERS_STORAGE_CONF", Holds::File(Settings::Opaque)),
    ("DOCKER_CONFIG", Holds::Directory),
    ("EXINIT", Holds::Vim),
    ("GIT_ASKPASS", Holds::Program),
    ("GIT_PROXY_COMMAND", Holds::Program),
    ("GIT_SSH", Holds::Program),
    ("GIT_SSH_COMMAND", Holds::Program),
    ("GNUMAKEFLAGS", Holds::Options("make")),
    ("GVIMINIT", Holds::Vim),
    ("LESS", Holds::Options("less")),
    ("LESSKEY", Holds::File(Settings::Opaque)),
    ("LESSKEYIN", Holds::File(Settings::Opaque)),
    ("LESSKEY_CONTENT", Holds::Keys),
    ("LESSKEY_CONTENT_SYSTEM", Holds::Keys),
    ("LIBTOOLIZE", Holds::Program),
    ("MAKEFILES", Holds::File(Settings::Make)),
    ("MAKEFLAGS", Holds::Options("make")),
    ("MANOPT", Holds::Options("man")),
    ("MFLAGS", Holds::Options("make")),
    ("MORE", Holds::Options("more")),
    ("PIP_CONFIG_FILE", Holds::File(Settings::Pip)),
    ("PYTHONSTARTUP", Holds::Library),
    ("RSYNC_CONNECT_PROG", Holds::Program),
    ("RSYNC_RSH", Holds::Program),
    ("SSH_PKCS11_HELPER", Holds::Program),
    ("SSH_SK_HELPER", Holds::Program),
    ("SSH_SK_PROVIDER", Holds::Library),
    ("TAR_OPTIONS", Holds::Options("tar")),
    ("VIMINIT", Holds::Vim),
    ("YARN_RC_FILENAME", Holds::File(Settings::Opaque)),
    ("YARN_YARN_PATH", Holds::File(Settings::Opaque)),
];

/// What a variable names or holds is followed as an option of the same meaning would be.
fn held(walk: &mut dyn Host, name: &str, value: &Text, span: Span) {
    let argument = Argument { text: value.clone(), span };
    let option_of = |prefix: usize| {
        let name = name.get(prefix..).unwrap_or("").to_ascii_lowercase().replace('_', "-");
        let mut text = value.derive([]);
        text.push_known(&format!("--{name}="));
        text.append(value);
        [Argument { text, span }]
    };
    for (start, program) in [("npm_config_", "npm"), ("pnpm_config_", "pnpm"), ("yarn_", "yarn")] {
        if name.get(..start.len()).is_some_and(|given| given.eq_ignore_ascii_case(start))
            && !HOLDERS.iter().any(|(known, _)| *known == name)
        {
            let unchecked =
                name.get(start.len()..).unwrap_or("").eq_ignore_ascii_case("strict_ssl");
            if unchecked && value.as_known() == Some("false") {
                walk.note("package.index.plain", span);
            }
            return options_of(walk, program, &option_of(start.len()));
        }
    }
    let Ok(at) = HOLDERS.binary_search_by(|(known, _)| (*known).cmp(name)) else {
        if name.starts_with("PIP_") {
            options_of(walk, "pip", &option_of(4));
        }
        return;
    };
    match HOLDERS.get(at).map(|(_, holds)| *holds) {
        Some(Holds::Directory) => settings::directory(walk, &argument),
        Some(Holds::File(kind)) => settings::named(walk, kind, &argument),
        Some(Holds::Keys) => keys(walk, value, span),
        Some(Holds::Library) => settings::library(walk, &argument),
        Some(Holds::Options(program)) => {
            let mut words = words_of(value, span);
            // Behind its plus sign stands a command of less to the end.
            if program == "less"
                && let Some((_, command)) = value.known_prefix().split_once('+')
            {
                let text = value.beginning_with(&format!("+{command}"));
                words.push(Argument { text, span });
            }
            options_of(walk, program, &words);
            written_in_variable(walk, program, &words);
            if program == "make" {
                make_variables(walk, &words);
                // make expands the variable before it reads it.
                if value.known_prefix().contains("$(shell ") {
                    makefile(walk, value, span);
                }
            }
        }
        Some(Holds::Program) => settings::stands_in(walk, &argument),
        Some(Holds::Vim) => vim::command(walk, value, span),
        None => {}
    }
}

/// What lesskey(1) has in a file, with `;` for the ends of lines: behind `#env` stand variables, which less obeys as those of its environment.
fn keys(walk: &mut dyn Host, value: &Text, span: Span) {
    if value.has_unknown() {
        walk.gap(span, GapReason::UnknownCode);
    }
    let mut are_variables = false;
    for line in value.known_prefix().split([';', '\n']).map(str::trim) {
        if line.starts_with('#') {
            are_variables = match line {
                "#env" => true,
                "#command" | "#line-edit" => false,
                _ => are_variables,
            };
        } else if are_variables && let Some((name, text)) = line.split_once('=') {
            let name = name.trim().trim_end_matches('+').trim_end();
            walk.environment(name, &value.beginning_with(text.trim_start()), span);
        }
    }
}

/// Options in variables such as `NODE_OPTIONS` behind which stands what a language loads before its own program.
const LOADS: &[&str] = &[
    "--experimental-loader",
    "--import",
    "--loader",
    "--require",
    "-I",
    "-M",
    "-agentlib:",
    "-agentpath:",
    "-javaagent:",
    "-r",
];

/// Variables that say where packages are taken from, as the option or the setting of the same meaning does, sorted.
const INDICES: &[&str] = &[
    "GEM_SOURCE",
    "GOPROXY",
    "NPM_CONFIG_REGISTRY",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_INDEX_URL",
    "PIP_TRUSTED_HOST",
    "RUSTUP_DIST_SERVER",
    "RUSTUP_UPDATE_ROOT",
    "UV_DEFAULT_INDEX",
    "UV_EXTRA_INDEX_URL",
    "UV_INDEX",
    "UV_INDEX_URL",
    "YARN_NPM_REGISTRY_SERVER",
    "YARN_REGISTRY",
];

/// Whether a variable says where packages are taken from; npm and Cargo read theirs in either case.
pub fn is_index(name: &str) -> bool {
    let ends = |end: &str| {
        let from = name.len().checked_sub(end.len()).unwrap_or(name.len());
        name.get(from..).is_some_and(|last| last.eq_ignore_ascii_case(end))
    };
    let is_registry = || {
        name.get(.."CARGO_REGISTRIES_".len())
            .is_some_and(|first| first.eq_ignore_ascii_case("CARGO_REGISTRIES_"))
            && ends("_INDEX")
    };
    INDICES.iter().any(|index| index.eq_ignore_ascii_case(name)) || is_registry()
}

/// A variable that says where packages come from names a server over a connection that anybody can change.
fn takes_packages(walk: &mut dyn Host, name: &str, value: &Text, span: Span) {
    let known = value.known_prefix();
    let rest = match known.strip_prefix("http://") {
        Some(rest) => rest,
        None if name == "PIP_TRUSTED_HOST" => known,
        None => return,
    };
    let is_near = ["localhost", "127.", "[::1]"].iter().any(|near| rest.starts_with(near));
    if is_index(name) && !is_near && !rest.is_empty() {
        walk.note("package.index.plain", span);
    }
}

/// A variable that programs obey or run: does it name a program or a module among temporary files, another place for
/// packages, or an option that answers a question beforehand?
pub(crate) fn named_in_variable(walk: &mut dyn Host, name: &str, value: &Text, span: Span) {
    takes_packages(walk, name, value, span);
    held(walk, name, value, span);
    variables::held(walk, name, value, span);
    if variable(name).is_none() && HOLDERS.binary_search_by(|row| row.0.cmp(name)).is_err() {
        unlisted::variable(walk, name, value, span);
    }
    if name == "NODE_OPTIONS" {
        let words = value.known_prefix();
        walk.at_likely(|walk| started::interpreters::node_options(walk, words, span));
    }
    if name == "PROMPT_COMMAND" && connects(value.known_prefix()) {
        walk.note("persistence.prompt.connects", span);
    }
    if name.starts_with("TF_CLI_ARGS") && value.known_prefix().contains("-auto-approve") {
        walk.note("terraform.apply.unseen", span);
    }
    let is_loaded = match variable(name) {
        Some(Variable::Command) => names_temporary(value, walk.facts()),
        Some(Variable::File) => {
            let path = value.known_prefix();
            is_anybodys(path, walk.facts())
                || value.as_known().is_some()
                    && path.starts_with('/')
                    && place::place(path, walk.facts()) == place::Place::Elsewhere
        }
        Some(Variable::Obeyed)
            if matches!(
                name,
                "JAVA_TOOL_OPTIONS" | "JDK_JAVA_OPTIONS" | "NODE_OPTIONS" | "PERL5OPT" | "RUBYOPT"
            ) =>
        {
            loads_temporary(value.known_prefix(), walk.facts())
        }
        _ => false,
    };
    if is_loaded {
        walk.note("execution.temporary.escape", span);
    }
}

/// Whether a command is, or has in it, a program that speaks to whatever host it is told.
fn connects(code: &str) -> bool {
    const PROGRAMS: &[&str] = &[
        "curl", "ftp", "nc", "ncat", "netcat", "openssl", "scp", "sftp", "socat", "ssh", "telnet",
        "wget",
    ];
    code.split(|letter: char| letter.is_whitespace() || ";|&(){}`'\"$".contains(letter))
        .any(|word| PROGRAMS.contains(&word.rsplit('/').next().unwrap_or(word)))
        || code.contains("/dev/tcp/")
}

fn loads_temporary(options: &str, facts: &Facts) -> bool {
    let mut before = "";
    options.split_whitespace().any(|word| {
        let option = LOADS.iter().find(|option| word.starts_with(*option));
        let attached = option.and_then(|option| word.strip_prefix(option));
        // `-Mlib=DIRECTORY`
        let value = attached.map_or(word, |rest| rest.rsplit('=').next().unwrap_or(rest));
        let lies_elsewhere =
            || value.starts_with('/') && place::place(value, facts) == place::Place::Elsewhere;
        let found = (option.is_some() || LOADS.contains(&before))
            && (is_anybodys(value, facts) || lies_elsewhere());
        before = word;
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(HOLDERS.is_sorted_by_key(|row| row.0), "holders");
        assert!(INDICES.is_sorted(), "indices");
    }
}
