//! Where a path may lead instead of where it seems to: from the directory that could not be left, above where a link leads, from the root where the
//! variable before it is not set. Owns how these are found out of the words of a path; whether it matters, whoever asks says.

use crate::{
    effect::Target,
    facts::Facts,
    paths::{absolute, normal},
    text::{Piece, Text},
};

/// The places beside the plain one. `here` is the current directory, `elsewhere` one that may be it too, `leads_to` gives where a link leads.
pub(super) fn paths(
    text: &Text,
    (here, elsewhere): (Option<&str>, Option<&str>),
    facts: &Facts,
    leads_to: &dyn Fn(&str) -> Option<String>,
) -> Vec<Target> {
    let mut found = Vec::new();
    let known = text.known_prefix();
    if let Some(elsewhere) = elsewhere
        && known.starts_with("..")
        && let Some(path) = absolute(text, Some(elsewhere), facts)
    {
        found.push(Target::new(text.clone(), Some(path)));
    }
    // `$TMPDIR/home/dev/.ssh`, with `TMPDIR` not set.
    let below = |root: &Option<String>| {
        let root = root.as_deref()?.trim_end_matches('/');
        known.strip_prefix(root).filter(|rest| rest.starts_with('/'))
    };
    let rest = below(&facts.temporary).or_else(|| known.strip_prefix("/tmp"));
    if let Some(rest) = rest
        && let Some(home) = facts.home.as_deref()
        && normal(rest).starts_with(home)
    {
        found.push(Target::new(text.clone(), Some(normal(rest))));
    }
    if let Some(written) = text.as_known()
        && let Some((before, above, behind)) = climbs(written)
    {
        let stands = Text::known(before);
        let link = absolute(&stands, here, facts);
        let real = link.as_deref().and_then(leads_to);
        match real {
            Some(real) => {
                let whole = format!("{}/{above}/{behind}", real.trim_end_matches('/'));
                found.push(Target::new(text.clone(), Some(normal(&whole))));
            }
            // Where such a file is open to, or which directory it stands for, nobody says.
            None if is_open(before) => {
                let mut astray = text.derive([Piece::Unknown("a directory".into())]);
                astray.push_known("/");
                astray.push_known(behind);
                found.push(Target::new(astray, None));
            }
            None => {}
        }
    }
    found
}

/// `q`, `../..` and `x` of `q/../../x`: what stands before the last steps up that lead out of a name, those, and what stands behind them.
fn climbs(path: &str) -> Option<(&str, &str, &str)> {
    let at = path.rfind("/../")?;
    let mut start = at;
    while let Some(before) = path.get(..start).filter(|before| before.ends_with("/..")) {
        start = before.len() - 3;
    }
    let before = path.get(..start).filter(|before| !before.is_empty())?;
    let last = before.rsplit('/').next().unwrap_or(before);
    let is_name = !matches!(last, "" | "." | "..");
    Some((before, path.get(start + 1..at + 3)?, path.get(at + 4..)?)).filter(|_| is_name)
}

/// Whether a path is that of what a process has open, or stands in.
fn is_open(path: &str) -> bool {
    path.starts_with("/proc/")
        || ["/dev/fd", "/dev/stderr", "/dev/stdin", "/dev/stdout"]
            .iter()
            .any(|start| path.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::climbs;

    #[test]
    fn steps_up_out_of_a_name_are_found() {
        assert_eq!(climbs("q/../x"), Some(("q", "..", "x")));
        assert_eq!(climbs("a/q/../../x/y"), Some(("a/q", "../..", "x/y")));
        assert_eq!(climbs("/dev/fd/3/../x"), Some(("/dev/fd/3", "..", "x")));
        assert_eq!(climbs("../x"), None);
        assert_eq!(climbs("./../x"), None);
        assert_eq!(climbs("a/b"), None);
    }
}
