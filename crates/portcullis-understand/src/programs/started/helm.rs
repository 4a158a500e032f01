//! Helm: the objects that a chart's templates stand for, as they are written, and charts that come from elsewhere (helm.sh/docs, "Charts", "Helm
//! Install"). What a template computes is a value that nobody knows; rendering and linting change nothing.

use portcullis_syntax::Span;

use super::{Starter, project, template};
use crate::{bound::Bounded, programs::host::Host, programs::invocation::Invocation, text::Text};

pub(super) static HELM: Starter = Starter { programs: &["helm"], start };

/// `{{ exec "PROGRAM" (list "WORD"…) }}`: run while the file is rendered, comments of its YAML too (helmfile.readthedocs.io, "Template Functions").
pub(super) static HELMFILE: Starter = Starter { programs: &["helmfile"], start: rendered_by };

fn rendered_by(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version"]) {
        return;
    }
    let Some(here) = walk.directory().map(str::to_owned) else { return };
    let named = project::option(&words, &["-f", "--file"]);
    let names: Vec<&str> = match named {
        Some(name) => vec![name],
        None => vec!["helmfile.yaml.gotmpl", "helmfile.yaml", "helmfile.yml"],
    };
    for file in project::all_in(walk, &here, &names) {
        walk.in_file(&file, "helmfile", invocation.span, |walk| {
            for (at, _) in file.text.match_indices("{{") {
                let inner = file.text.get(at + 2..).unwrap_or_default();
                let inner = inner.split("}}").next().unwrap_or_default();
                let span = Span::new(at, at + 2 + inner.len());
                for call in ["exec ", "envExec "] {
                    let Some((_, rest)) = inner.split_once(call) else { continue };
                    // What it is piped into is no word of it.
                    let words: Vec<String> = literals(rest);
                    if !words.is_empty() {
                        walk.run(&project::arguments(&words, span), None);
                    }
                    break;
                }
            }
        });
    }
}

/// The texts in quotes of a template's call.
fn literals(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<(char, String)> = None;
    let mut is_escaped = false;
    for letter in text.chars() {
        match &mut open {
            Some((quote, value)) => {
                if is_escaped {
                    value.push(letter);
                    is_escaped = false;
                } else if letter == '\\' && *quote == '"' {
                    is_escaped = true;
                } else if letter == *quote {
                    found.push(std::mem::take(value));
                    open = None;
                } else {
                    value.push(letter);
                }
            }
            None if matches!(letter, '"' | '`') => open = Some((letter, String::new())),
            None if letter == '|' => break,
            None => {}
        }
    }
    found
}

/// How many templates of one chart are read.
const TEMPLATES: usize = 32;

/// Options that take a value.
const VALUES: &[&str] = &[
    "--atomic-timeout",
    "--description",
    "--kube-context",
    "--kubeconfig",
    "--namespace",
    "--post-renderer",
    "--repo",
    "--set",
    "--set-file",
    "--set-json",
    "--set-string",
    "--timeout",
    "--values",
    "--version",
    "-f",
    "-n",
];

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let operands = project::operands(&words, VALUES);
    let is_dry = words.iter().any(|word| word.starts_with("--dry-run") && word != "--dry-run=none")
        || project::has(&words, &["--help", "-h"]);
    if let Some(program) = project::option(&words, &["--post-renderer"]) {
        let mut line = vec![program];
        line.extend(project::options(&words, &["--post-renderer-args"]));
        walk.run(&project::arguments(&line, invocation.span), None);
    }
    let chart = match operands.as_slice() {
        ["install", .., chart] | ["upgrade", .., chart] if !is_dry => *chart,
        _ => return,
    };
    let Some(root) = walk.target(&Text::known(chart)).path else { return };
    let Some(file) = project::first_in(walk, &root, &["Chart.yaml"]) else { return };
    walk.look(&format!("{root}/templates"));
    let paths = walk.in_file(&file, "chart", invocation.span, |walk| {
        let is_template = |name: &str| [".yaml", ".yml"].iter().any(|end| name.ends_with(end));
        let found =
            project::below(walk, &format!("{root}/templates"), 3, invocation.span, &is_template);
        found.iter().at_most(TEMPLATES, walk, invocation.span).cloned().collect::<Vec<_>>()
    });
    for path in paths.iter().flatten() {
        walk.look(path);
    }
    for path in paths.iter().flatten() {
        let Some(file) = walk.look(path).file() else { continue };
        walk.in_file(&file, "template", invocation.span, |walk| {
            let span = Span::new(0, file.text.len());
            let words = project::arguments(&["kubectl", "apply", "-f", "-"], span);
            let text = rendered(&file.text);
            let tree = super::tree::yaml(&text);
            walk.run(&words, Some(Text::known(text)));
            for document in &tree.documents {
                super::fed::pods(walk, document);
            }
        });
    }
}

/// A template without what computes: lines of it alone are gone, elsewhere a word stands for it. What depends on a value is left out, since a chart has
/// what it does not do by default behind one.
fn rendered(text: &str) -> String {
    let mut rendered = String::with_capacity(text.len());
    let mut depth = 0_usize;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if bare.starts_with("{{") && bare.ends_with("}}") && bare.matches("{{").count() == 1 {
            let inner = bare.trim_start_matches(['{', '-', ' ']);
            let word = inner.split([' ', '-', '}']).next().unwrap_or_default();
            match word {
                "if" | "range" | "with" | "define" | "block" => depth += 1,
                "end" => depth = depth.saturating_sub(1),
                _ => {}
            }
            continue;
        }
        if depth > 1 {
            continue;
        }
        rendered.push_str(&template::filled(line, "{{", "}}", |_| "value".to_owned()));
    }
    rendered
}

#[cfg(test)]
mod tests {
    use super::rendered;

    #[test]
    fn a_template_is_what_it_is_without_values() {
        let text = "{{- if .Values.a }}\nkind: Pod\nname: {{ .x }}-b\n{{- if .Values.c }}\nhostPID: true\n{{- end }}\n{{- end }}\n";
        assert_eq!(rendered(text), "kind: Pod\nname: value-b\n");
    }
}
