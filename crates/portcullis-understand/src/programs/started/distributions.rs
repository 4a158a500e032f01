//! Packages of distributions: `debian/rules`, which is a makefile (debian.org, "Debian Policy Manual", 4.9), and the scripts in the sections of a spec
//! (rpm.org, "Spec file format").

use portcullis_syntax::Span;

use super::{Piece, Starter, project, run_pieces};
use crate::{
    effect::Certainty, programs::host::Host, programs::invocation::Invocation, text::Text,
};

pub(super) static DEBIAN: Starter = Starter {
    programs: &["debuild", "dpkg-buildpackage", "gbp", "sbuild", "git-buildpackage"],
    start: debian,
};
pub(super) static RPM: Starter = Starter { programs: &["rpmbuild", "mock", "fedpkg"], start: rpm };

/// Sections of a spec that are scripts while it is built; the others are for those that install it.
const SECTIONS: &[&str] =
    &["%prep", "%generate_buildrequires", "%conf", "%build", "%install", "%check", "%clean"];

fn debian(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version"]) {
        return;
    }
    let Some(here) = walk.directory().map(str::to_owned) else { return };
    let Some(file) = walk.look(&format!("{here}/debian/rules")).file() else { return };
    // `dh` runs those that override its own steps.
    let targets = file.text.lines().filter_map(|line| {
        let name = line.split(':').next()?;
        let is_target = ["override_", "execute_"].iter().any(|start| name.starts_with(start))
            || matches!(
                name,
                "build"
                    | "binary"
                    | "clean"
                    | "build-arch"
                    | "build-indep"
                    | "binary-arch"
                    | "binary-indep"
                    | "install"
            );
        is_target.then(|| name.trim().to_owned())
    });
    let mut line = ["make", "-f", "debian/rules"].map(str::to_owned).to_vec();
    line.extend(targets);
    walk.at_most(Certainty::Likely, |walk| {
        walk.run(&project::arguments(&line, invocation.span), None)
    });
}

fn rpm(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "--version", "--showrc", "--eval", "-E"]) {
        return;
    }
    for word in words.iter().filter(|word| word.ends_with(".spec")) {
        let Some(path) = walk.target(&Text::known(word.as_str())).path else { continue };
        let Some(file) = walk.look(&path).file() else { continue };
        let pieces = scripts(&file.text);
        walk.in_file(&file, "spec", invocation.span, |walk| run_pieces(walk, &file.text, &pieces));
    }
}

/// The scripts of a spec, with its macros as words, and `%(…)`, which is run wherever it stands.
fn scripts(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut open: Option<usize> = None;
    let mut at = 0;
    let mut close = |open: &mut Option<usize>, at: usize| {
        if let Some(from) = open.take() {
            let code = text.get(from..at).unwrap_or_default();
            pieces.push(Piece {
                text: Some(filled(code)),
                certainty: Certainty::Likely,
                ..Piece::command(Span::new(from, at))
            });
        }
    };
    for line in text.split_inclusive('\n') {
        let word = line.split_whitespace().next().unwrap_or_default();
        let is_section = word.starts_with('%')
            && (SECTIONS.contains(&word)
                || [
                    "%description",
                    "%files",
                    "%changelog",
                    "%package",
                    "%pre",
                    "%post",
                    "%preun",
                    "%postun",
                ]
                .contains(&word));
        if is_section {
            close(&mut open, at);
            if SECTIONS.contains(&word) {
                open = Some(at + line.len());
            }
        }
        at += line.len();
    }
    close(&mut open, at);
    for (at, _) in text.match_indices("%(") {
        let from = at + 2;
        let rest = text.get(from..).unwrap_or_default();
        let end = rest.find([')', '\n']).unwrap_or(rest.len());
        pieces.push(Piece {
            certainty: Certainty::Likely,
            ..Piece::command(Span::new(from, from + end))
        });
    }
    pieces
}

/// Macros that stand alone on a line do what the distribution says; others are words.
fn filled(code: &str) -> String {
    let mut filled = String::with_capacity(code.len());
    for line in code.lines() {
        let bare = line.trim_start();
        if !bare.starts_with('%') {
            let mut rest = line;
            while let Some((before, after)) = rest.split_once("%{") {
                filled.push_str(before);
                filled.push_str("value");
                rest = after.split_once('}').map_or("", |it| it.1);
            }
            filled.push_str(rest);
        }
        filled.push('\n');
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_of_a_spec_are_scripts() {
        let text = "Name: a\n%build\n%configure\nmake %{?_smp_mflags}\n%install\nmake install\n%files\n/usr/x\n";
        let codes: Vec<String> = scripts(text).into_iter().filter_map(|piece| piece.text).collect();
        assert_eq!(codes, ["\nmake value\n", "make install\n"]);
    }
}
