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
    if let Some(written) = text.as_known().filter(|written| written.contains("/..")) {
        if let Some(behind) = out_of_open(written) {
            // Which directory it stands for, nobody says.
            let mut astray = text.derive([Piece::Unknown("a directory".into())]);
            astray.push_known("/");
            astray.push_known(behind);
            found.push(Target::new(astray, None));
        }
        let plain = absolute(text, here, facts);
        let real = as_the_system_goes(written, here, leads_to);
        if let Some(real) = real.filter(|real| plain.as_ref() != Some(real)) {
            found.push(Target::new(text.clone(), Some(real)));
        }
    }
    found
}

/// How many bytes a path may have: a longer one the system opens for nobody (limits.h, `PATH_MAX`).
const LONGEST: usize = 4096;

/// Where a path leads, step by step: above a link is above where it leads.
fn as_the_system_goes(
    written: &str,
    here: Option<&str>,
    leads_to: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let mut at = if written.starts_with('/') { String::new() } else { here?.to_owned() };
    if written.len() >= LONGEST {
        return None;
    }
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                let real = leads_to(&at).unwrap_or(at);
                at = real.rsplit_once('/').map_or("", |(above, _)| above).to_owned();
            }
            part => {
                at.push('/');
                at.push_str(part);
            }
        }
    }
    Some(if at.is_empty() { "/".to_owned() } else { at })
}

/// What stands behind the last step up, where a path begins at what a process has open.
fn out_of_open(path: &str) -> Option<&str> {
    path.rsplit_once("/../").map(|(_, behind)| behind).filter(|_| is_open(path))
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
    use super::*;

    #[test]
    fn a_step_up_out_of_a_link_is_one_from_where_it_leads() {
        let leads_to = |path: &str| (path == "/w/p/q").then(|| "/w/p".to_owned());
        let real = |written: &str| as_the_system_goes(written, Some("/w/p"), &leads_to);
        assert_eq!(real("q/../x").as_deref(), Some("/w/x"));
        assert_eq!(real("q/../.c/p/../p/x").as_deref(), Some("/w/.c/p/x"));
        assert_eq!(real("/w/p/q/../../x").as_deref(), Some("/x"));
        assert_eq!(real("s/../x").as_deref(), Some("/w/p/x"));
        let long = format!("{}q/../x", "./".repeat(200));
        assert_eq!(real(&long).as_deref(), Some("/w/x"));
        assert_eq!(out_of_open("/dev/fd/3/../../x/y"), Some("x/y"));
        assert_eq!(out_of_open("s/../x"), None);
    }
}
