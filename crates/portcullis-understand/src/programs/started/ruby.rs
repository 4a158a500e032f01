//! Ruby's own starters: the `Rakefile` with the files of tasks that it takes in (ruby.github.io/rake), the `Gemfile` and `.gemspec` that bundler
//! evaluates (bundler.io/man/gemfile.5), `Vagrantfile`, and the files that test runners load first (`.rspec`, `spec_helper`). Their code runs whole
//! whatever is asked for.

use portcullis_syntax::Span;

use super::{Starter, idle, project};
use crate::{
    programs::found::{File, Found, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
};

pub(super) static RAKE: Starter = Starter { programs: &["rake", "rails"], start: rake };
pub(super) static BUNDLER: Starter = Starter { programs: &["bundle", "bundler"], start: bundle };
pub(super) static RSPEC: Starter = Starter {
    programs: &[
        "rspec",
        "rubocop",
        "guard",
        "cucumber",
        "puma",
        "rackup",
        "unicorn",
        "sidekiq",
        "standardrb",
    ],
    start: tools,
};
pub(super) static VAGRANT: Starter = Starter { programs: &["vagrant"], start: vagrant };
pub(super) static GEM: Starter = Starter { programs: &["gem"], start: gem };

/// How many files of tasks are read.
const TASKS: usize = 24;

/// Options with which rake only tells of tasks (ruby.github.io/rake, "Command Line Usage").
const TELLS: &[&str] =
    &["-n", "--dry-run", "-T", "--tasks", "-D", "--describe", "-P", "--prereqs", "-W", "--where"];

/// Options that take a value in a word of their own.
const VALUES: &[&str] = &[
    "-f",
    "--rakefile",
    "-C",
    "--directory",
    "-e",
    "--execute",
    "-E",
    "--execute-continue",
    "-p",
    "--execute-print",
    "-I",
    "--libdir",
    "-r",
    "--require",
    "-R",
    "--rakelibdir",
    "-j",
    "--jobs",
];

fn rake(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version", "-V"]) {
        return;
    }
    if invocation.program == "rails"
        && !words.first().is_some_and(|verb| {
            verb.contains(':')
                || matches!(
                    verb.as_str(),
                    "test" | "server" | "s" | "console" | "c" | "runner" | "r"
                )
        })
    {
        return;
    }
    let named = project::option(&words, &["-f", "--rakefile"]);
    let file = match named.and_then(|name| walk.target(&crate::text::Text::known(name)).path) {
        Some(path) => walk.look(&path).file(),
        None => project::nearest(walk, &["rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"]),
    };
    let Some(file) = file else { return };
    let root = directory_of(&file.path).to_owned();
    let mut paths: Vec<String> = Vec::new();
    let folders = ["rakelib", "lib/tasks", "tasks"];
    for folder in &folders {
        walk.look(&format!("{root}/{folder}"));
    }
    for folder in folders {
        let Found::Directory(names) = walk.look(&format!("{root}/{folder}")) else { continue };
        let mut count = 0;
        for name in names.iter().filter(|name| name.ends_with(".rake")) {
            count += 1;
            if count > TASKS {
                walk.left_unread(invocation.span);
                break;
            }
            let path = format!("{root}/{folder}/{name}");
            walk.look(&path);
            paths.push(path);
        }
    }
    let mut files: Vec<File> = vec![file];
    files.extend(paths.iter().filter_map(|path| walk.look(path).file()));
    // With these, files are evaluated and no task runs.
    let tells = project::has(&words, TELLS);
    let mut asked = project::operands(&words, VALUES);
    asked.retain(|word| !word.contains('='));
    if tells {
        asked.clear();
    } else if asked.is_empty() {
        asked.push("default");
    }
    let texts: Vec<String> = files.iter().map(|file| file.text.to_string()).collect();
    let texts = idle::rake(&texts, &asked);
    for (at, (file, text)) in files.iter().zip(texts).enumerate() {
        let part = File { text: text.into(), ..file.clone() };
        if at == 0 {
            evaluated(walk, &part, invocation.span);
        } else {
            let roots = walk.import_roots();
            walk.load_text_from(&roots, "ruby", &part, invocation.span);
        }
    }
    for file in files.iter().filter(|_| !tells) {
        for (class, usual, line) in LIBRARIES {
            specified(walk, file, &words, (class, usual, line), invocation.span);
        }
    }
}

/// Classes of tasks that libraries have, how each is called where nothing else is said, and what it runs (rspec.info, "rake task"; docs.rubocop.org,
/// "Integration with Other Tools"; ruby.github.io/rake, "TestTask"; github.com/cucumber; yardoc.org, "Rake"; reek; steep).
const LIBRARIES: &[(&str, &str, &[&str])] = &[
    ("RSpec::Core::RakeTask", "spec", &["rspec"]),
    ("RuboCop::RakeTask", "rubocop", &["rubocop"]),
    ("Cucumber::Rake::Task", "cucumber", &["cucumber"]),
    ("YARD::Rake::YardocTask", "yard", &["yard", "doc"]),
    ("Reek::Rake::Task", "reek", &["reek"]),
    ("Steep::RakeTask", "steep", &["steep", "check"]),
];

/// `RSpec::Core::RakeTask.new(:spec)`: a task that runs another program.
fn specified(
    walk: &mut dyn Host,
    file: &File,
    words: &[String],
    (class, usual, line): (&str, &str, &[&str]),
    span: Span,
) {
    let Some((_, rest)) = file.text.split_once(class) else { return };
    let named = rest.split_once(".new").map_or("", |(_, rest)| rest.trim_start_matches(['(', ' ']));
    let named = named.trim_start_matches([':', '"', '\'']);
    let end = named.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let name = named.get(..end.unwrap_or(named.len())).filter(|name| !name.is_empty());
    let asked = project::operands(words, &["-f", "--rakefile", "-C"]);
    // Without a word it is the task `default`, which may stand for any.
    let is_asked =
        asked.is_empty() || asked.iter().any(|it| *it == name.unwrap_or(usual) || *it == "default");
    if is_asked {
        walk.run(&project::arguments(line, span), None);
    }
}

fn evaluated(walk: &mut dyn Host, file: &File, span: Span) {
    walk.run_text("ruby", file, span, &[], None);
}

fn bundle(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let verb = project::operands(&words, &["--gemfile"])
        .first()
        .map_or("install", |verb| *verb)
        .to_owned();
    if project::has(&words, &["--help", "-h", "--version"])
        || matches!(
            verb.as_str(),
            "init" | "gem" | "version" | "help" | "cache" | "env" | "platform"
        )
    {
        return;
    }
    let named = project::option(&words, &["--gemfile"]);
    let file = match named.and_then(|name| walk.target(&crate::text::Text::known(name)).path) {
        Some(path) => walk.look(&path).file(),
        None => project::nearest(walk, &["Gemfile", "gems.rb"]),
    };
    let Some(file) = file else { return };
    evaluated(walk, &file, invocation.span);
    let fetches = matches!(verb.as_str(), "install" | "update" | "add" | "lock" | "outdated");
    if fetches {
        mirrors(walk, directory_of(&file.path), invocation.span);
        walk.in_file(&file, "gemfile", invocation.span, |walk| {
            for (address, span) in sources(&file.text) {
                walk.run(
                    &project::arguments(
                        &["gem", "install", "--source", address.as_str(), "x"],
                        span,
                    ),
                    None,
                );
            }
        });
    }
    if file.text.lines().any(|line| line.trim_start().starts_with("gemspec")) {
        specifications(walk, directory_of(&file.path), invocation.span);
    }
    let root = directory_of(&file.path).to_owned();
    for line in file.text.lines() {
        if let Some(name) = line
            .trim_start()
            .strip_prefix("eval_gemfile")
            .and_then(|rest| rest.split(['"', '\'']).nth(1))
        {
            walk.load("ruby", &project::joined(&root, name), invocation.span);
        }
    }
}

/// `.bundle/config`: a mirror that gems come from instead (bundler.io/man/bundle-config.1, "MIRRORS OF GEM SOURCES").
fn mirrors(walk: &mut dyn Host, root: &str, span: Span) {
    let Some(file) = walk.look(&format!("{root}/.bundle/config")).file() else { return };
    walk.in_file(&file, "settings", span, |walk| {
        let mut at = 0;
        for line in file.text.split_inclusive('\n') {
            let place = Span::new(at, at + line.trim_end().len());
            at += line.len();
            let Some(rest) = line.strip_prefix("BUNDLE_MIRROR__") else { continue };
            // The name is an address as well.
            if let Some((_, address)) = rest.split_once(": ") {
                project::taken_from(walk, address.trim().trim_matches(['"', '\'']), place);
            }
        }
    });
}

/// The `.gemspec` files of a directory: they are evaluated.
fn specifications(walk: &mut dyn Host, root: &str, span: Span) {
    let Found::Directory(names) = walk.look(root) else { return };
    for name in names.iter().filter(|name| name.ends_with(".gemspec")) {
        walk.load("ruby", &format!("{root}/{name}"), span);
    }
}

/// Addresses that gems come from.
fn sources(text: &str) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_start();
        if bare.starts_with('#') {
            continue;
        }
        let named = ["source ", "source(", "source:"].iter().any(|word| bare.contains(word));
        let Some(address) =
            bare.split(['"', '\'']).find(|part| part.contains("://")).filter(|_| named)
        else {
            continue;
        };
        let from = start + line.find(address).unwrap_or(0);
        found.push((address.to_owned(), Span::new(from, from + address.len())));
    }
    found
}

fn tools(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version", "-v"]) {
        return;
    }
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let names: &[&str] = match invocation.program.as_str() {
        "rspec" => &["spec/spec_helper.rb", "spec/rails_helper.rb"],
        "guard" => &["Guardfile"],
        "puma" => &["config/puma.rb", "config.ru"],
        "rackup" | "unicorn" => &["config.ru", "config/unicorn.rb"],
        "sidekiq" => &["config/environment.rb", "config/application.rb"],
        "cucumber" => &["features/support/env.rb"],
        _ => &[],
    };
    for name in names {
        walk.look(&format!("{root}/{name}"));
    }
    for name in names {
        walk.load("ruby", &format!("{root}/{name}"), invocation.span);
    }
    if invocation.program == "rspec" {
        required(walk, &root, &words, invocation.span);
        for word in words.iter().filter(|word| word.contains(".rb")) {
            let name = word.split(':').next().unwrap_or_default();
            if let Some(path) = walk.target(&crate::text::Text::known(name)).path {
                walk.load("ruby", &path, invocation.span);
            }
        }
    }
}

/// `--require FILE`, on the command line and in `.rspec` (rspec.info, "Read command line configuration options from files").
fn required(walk: &mut dyn Host, root: &str, words: &[String], span: Span) {
    let mut words = words.to_vec();
    for name in [".rspec", ".rspec-local"] {
        if let Some(file) = walk.look(&format!("{root}/{name}")).file() {
            words.extend(file.text.split_whitespace().map(str::to_owned));
        }
    }
    let names = project::options(&words, &["-r", "--require"]);
    let paths: Vec<String> = names
        .iter()
        .flat_map(|name| match name.starts_with(['.', '/']) {
            true => vec![project::joined(root, name)],
            false => vec![format!("{root}/lib/{name}"), format!("{root}/spec/{name}")],
        })
        .map(|path| if path.ends_with(".rb") { path } else { format!("{path}.rb") })
        .collect();
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        walk.load("ruby", path, span);
    }
}

fn vagrant(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version"]) {
        return;
    }
    if let Some(file) = project::nearest(walk, &["Vagrantfile", "vagrantfile"]) {
        evaluated(walk, &file, invocation.span);
        // Triggers run with what is done to a machine.
        let verb = project::operands(&words, &["--machine-readable"]).first().copied();
        if matches!(
            verb,
            Some(
                "box"
                    | "global-status"
                    | "plugin"
                    | "port"
                    | "ssh-config"
                    | "status"
                    | "validate"
                    | "version"
            )
        ) {
            return;
        }
        walk.in_file(&file, "vagrant", invocation.span, |walk| {
            for (at, _) in file.text.match_indices(".run") {
                let rest = file.text.get(at + ".run".len()..).unwrap_or_default();
                let Some(rest) = rest.trim_start().strip_prefix('=') else { continue };
                triggered(walk, rest.trim_start(), Span::new(at, at + ".run".len()));
            }
        });
    }
}

/// `trigger.run = {inline: "COMMAND"}`, `{path: "FILE"}`: it runs on this machine (developer.hashicorp.com/vagrant, "Trigger Configuration").
fn triggered(walk: &mut dyn Host, value: &str, span: Span) {
    let value = value.split('}').next().unwrap_or_default();
    for key in ["inline", "path"] {
        let Some((_, rest)) = value.split_once(key) else { continue };
        let Some(at) = rest.find(['"', '\'']) else { continue };
        let inner = rest.get(at + 1..).unwrap_or_default();
        let quote = if rest.get(at..).is_some_and(|it| it.starts_with('"')) { '"' } else { '\'' };
        let text = crate::text::Text::known(inner.split(quote).next().unwrap_or_default());
        if key == "inline" {
            walk.shell(&text, span, &[], None);
        } else if let Some(path) = walk.target(&text).path {
            walk.run_file("shell", &path, span, &[], None);
        }
    }
}

fn gem(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if words.first().map(String::as_str) != Some("build") {
        return;
    }
    for word in words.iter().skip(1).filter(|word| !word.starts_with('-')) {
        if let Some(path) = walk.target(&crate::text::Text::known(word.as_str())).path {
            walk.load("ruby", &path, invocation.span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sources;

    #[test]
    fn sources_of_gems_are_found() {
        let text = "source \"https://rubygems.org\"\n# source 'http://x'\ngem 'a', source: 'http://b.example'\ngem 'c', git: 'https://d'\n";
        let found: Vec<String> = sources(text).into_iter().map(|it| it.0).collect();
        assert_eq!(found, ["https://rubygems.org", "http://b.example"]);
    }
}
