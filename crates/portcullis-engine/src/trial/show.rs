//! What a person and a program see of a trial. Owns the order, the bounds, and that nothing of it can be mistaken for a line of ours: whatever
//! the command said or named is written out visibly and stands behind a margin, without its secrets.

use std::{
    fmt::Write as _,
    io::Read as _,
    path::{Path, PathBuf},
    time::Duration,
};

use portcullis_core::secrets::redacted;
use serde_json::{Map, Value, json};
use similar::TextDiff;

use super::{Change, Place, Trial, What};
use crate::{
    report::visible,
    tree::{Kind, Root, write_name},
};

/// How many changes, and how many of each other kind, a person is shown one by one.
const SHOWN: usize = 100;

/// How many changes are told to a program.
const TOLD: usize = 10_000;

/// How much of a file is compared line by line.
const MOST_COMPARED: u64 = 256 << 10;

/// How many lines of a difference are shown, of one file and of all.
const LINES_OF_ONE: usize = 60;
const LINES_OF_ALL: usize = 400;

/// How long one comparison may take; what it finds then is right, and longer than it could be.
const PATIENCE: Duration = Duration::from_millis(300);

/// How many lines of output are shown of each stream; the last ones.
const LINES_OF_OUTPUT: usize = 40;

/// The files of a trial, before and after.
struct Layers {
    lower: Vec<Option<Root>>,
    upper: Vec<Option<Root>>,
}

impl Layers {
    fn open(trial: &Trial, place: &Place) -> Self {
        let open = |path: &Path| Root::open(path).ok();
        Self {
            lower: trial.roots.iter().map(|root| open(&root.path)).collect(),
            upper: trial.roots.iter().map(|root| open(&place.path.join(&root.layer))).collect(),
        }
    }

    fn text(list: &[Option<Root>], change: &Change) -> Option<String> {
        let file = list.get(change.root)?.as_ref()?.file(&change.path).ok()?;
        let mut bytes = Vec::new();
        file.take(MOST_COMPARED + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() as u64 > MOST_COMPARED || bytes.contains(&0) {
            return None;
        }
        String::from_utf8(bytes).ok()
    }

    /// The lines that differ, without secrets; nothing where it is no text, or nothing of it changed.
    fn difference(&self, change: &Change) -> Option<Difference> {
        let is_text = |node: &Option<crate::tree::Node>| {
            node.as_ref().is_none_or(|node| node.kind == Kind::File)
        };
        if !is_text(&change.before) || !is_text(&change.after) {
            return None;
        }
        let before = match change.before {
            None => String::new(),
            Some(_) => {
                // What others changed since is not what the trial found.
                let root = self.lower.get(change.root)?.as_ref()?;
                let there = root.node(&change.path, false).ok()??;
                if !there.is_untouched(change.before.as_ref()?) {
                    return None;
                }
                Self::text(&self.lower, change)?
            }
        };
        let after = match change.after {
            None => String::new(),
            Some(_) => Self::text(&self.upper, change)?,
        };
        // Found in the whole: half of a secret is not known as one.
        let (before, after) = (redacted(&before), redacted(&after));
        let difference = TextDiff::configure().timeout(PATIENCE).diff_lines(&before, &after);
        let (mut added, mut removed) = (0, 0);
        for one in difference.iter_all_changes() {
            match one.tag() {
                similar::ChangeTag::Insert => added += 1,
                similar::ChangeTag::Delete => removed += 1,
                similar::ChangeTag::Equal => {}
            }
        }
        let unified = difference.unified_diff().context_radius(3).to_string();
        let lines: Vec<String> = unified.lines().map(str::to_owned).collect();
        (added + removed > 0).then_some(Difference { added, removed, lines })
    }
}

struct Difference {
    added: usize,
    removed: usize,
    lines: Vec<String>,
}

/// The path of a change as a person reads it.
fn shown(trial: &Trial, change: &Change) -> String {
    let root = trial.roots.get(change.root).map(|root| root.path.as_path());
    let path = root.unwrap_or(Path::new("/")).join(&change.path);
    let path = path.strip_prefix(&trial.directory).map_or(path.clone(), Path::to_owned);
    visible::line(&write_name(&path)).into_owned()
}

/// What is told about a change beside its path.
fn details(change: &Change, difference: Option<&Difference>) -> String {
    let mut words = Vec::new();
    let node = change.after.as_ref().or(change.before.as_ref());
    if let Some(node) = node {
        match node.kind {
            Kind::File => {}
            Kind::Folder => words.push("directory".to_owned()),
            Kind::Link => {
                let target = node.target.as_deref().unwrap_or_default();
                words.push(format!("link to {}", visible::line(target)));
            }
            Kind::Pipe => words.push("pipe".to_owned()),
            Kind::Socket => words.push("socket".to_owned()),
            Kind::Device => words.push("device".to_owned()),
        }
    }
    if let Some(from) = &change.renamed_from {
        words.push(format!("renamed from {}", visible::line(from)));
    } else if let Some(Difference { added, removed, .. }) = difference {
        words.push(format!("+{added} -{removed}"));
    } else if let (Some(node), true) = (node, change.what != What::Deleted)
        && node.kind == Kind::File
    {
        words.push(format!("{} bytes", node.length));
    }
    match (&change.before, &change.after) {
        (Some(before), Some(after)) if before.mode != after.mode => {
            words.push(format!("mode {:o} to {:o}", before.mode, after.mode));
        }
        (None, Some(after)) if after.kind == Kind::File && after.mode & 0o6111 != 0 => {
            words.push(format!("mode {:o}", after.mode));
        }
        _ => {}
    }
    let named = change
        .aspects
        .iter()
        .filter(|aspect| !matches!(aspect, super::Aspect::Content | super::Aspect::Mode));
    words.extend(named.map(|aspect| aspect.name().to_owned()));
    words.join(", ")
}

/// The trial for a person.
#[must_use]
pub fn page(trial: &Trial, place: &Place) -> String {
    let layers = Layers::open(trial, place);
    let mut text = String::new();
    let command: Vec<String> =
        trial.command.iter().map(|word| visible::line(&redacted(word)).into_owned()).collect();
    let seconds = Duration::from_millis(trial.milliseconds).as_secs_f64();
    let _ = writeln!(text, "tried      {}", command.join(" "));
    let ended = trial.stopped.as_ref().map(|why| format!(", stopped: {why}")).unwrap_or_default();
    let _ = writeln!(
        text,
        "           exit {}{ended}; {seconds:.1} s; kept apart by {}",
        trial.exit,
        trial.means.words()
    );
    changes(trial, &layers, &mut text);
    let listed = |text: &mut String, title: &str, all: Vec<String>| {
        for (at, one) in all.iter().take(SHOWN).enumerate() {
            let title = if at == 0 { title } else { "" };
            let _ = writeln!(text, "{title:<10} {}", visible::line(one));
        }
        if all.len() > SHOWN {
            let _ = writeln!(text, "{:<10} and {} more", "", all.len() - SHOWN);
        }
    };
    let programs = trial.seen.programs.iter().map(|(path, count)| match count {
        1 => write_name(path),
        count => format!("{} ({count} times)", write_name(path)),
    });
    listed(&mut text, "started", programs.collect());
    let hosts = trial.wanted.iter().map(|one| match &one.refused {
        Some(why) => format!("{}, not connected: {}", redacted(&one.target), redacted(why)),
        None => redacted(&one.target),
    });
    let hosts = hosts.chain(trial.seen.addresses.iter().map(|one| format!("{one}, not reached")));
    listed(&mut text, "wanted", hosts.collect());
    let secrets =
        trial.seen.secrets.iter().map(|path| format!("{}, not readable", write_name(path)));
    listed(&mut text, "secrets", secrets.collect());
    let refused = trial.seen.refused.iter().map(|path| format!("to change {}", write_name(path)));
    listed(&mut text, "refused", refused.collect());
    for (title, output) in [("said", &trial.stdout), ("complained", &trial.stderr)] {
        let lines: Vec<&str> = output.lines().collect();
        let skipped = lines.len().saturating_sub(LINES_OF_OUTPUT);
        if skipped > 0 {
            let _ = writeln!(text, "{title:<10} … {skipped} lines before these");
        }
        for (at, line) in lines.iter().skip(skipped).enumerate() {
            let title = if at == 0 && skipped == 0 { title } else { "" };
            let _ = writeln!(text, "{title:<10} | {}", visible::line(line));
        }
    }
    if trial.dropped > 0 {
        let _ = writeln!(text, "           {} bytes more of it were not kept", trial.dropped);
    }
    for note in &trial.notes {
        let _ = writeln!(text, "note       {}", visible::line(note));
    }
    text
}

fn changes(trial: &Trial, layers: &Layers, text: &mut String) {
    if trial.changes.is_empty() {
        let _ = writeln!(text, "files      nothing changed");
        return;
    }
    let mut differences = Vec::new();
    for change in trial.changes.iter().take(SHOWN) {
        let difference = layers.difference(change);
        let details = details(change, difference.as_ref());
        let _ = writeln!(text, "{:<10} {}  {details}", change.what.name(), shown(trial, change));
        differences.extend(difference.map(|difference| (change, difference)));
    }
    if trial.changes.len() > SHOWN {
        let _ = writeln!(text, "{:<10} and {} more files", "", trial.changes.len() - SHOWN);
    }
    let mut left = LINES_OF_ALL;
    for (change, difference) in differences {
        // A file that is gone is not shown whole.
        if change.what == What::Deleted || change.renamed_from.is_some() {
            continue;
        }
        if left == 0 {
            let _ = writeln!(text, "           further differences are left out");
            break;
        }
        let _ = writeln!(text, "\n  {}", shown(trial, change));
        let most = LINES_OF_ONE.min(left);
        for line in difference.lines.iter().take(most) {
            let _ = writeln!(text, "  | {}", visible::line(line));
        }
        if difference.lines.len() > most {
            let _ = writeln!(text, "  … {} lines more", difference.lines.len() - most);
        }
        left -= most.min(difference.lines.len());
    }
    text.push('\n');
}

/// The trial for a program.
#[must_use]
pub fn json(trial: &Trial, place: &Place) -> Value {
    let layers = Layers::open(trial, place);
    let mut left = LINES_OF_ALL;
    let names =
        |list: &[PathBuf]| -> Vec<String> { list.iter().map(|path| write_name(path)).collect() };
    let change = |change: &Change| {
        let root = trial.roots.get(change.root).map(|root| root.path.as_path());
        let mut one = Map::new();
        let path = root.unwrap_or(Path::new("/")).join(&change.path);
        one.insert("path".to_owned(), write_name(&path).into());
        one.insert("what".to_owned(), change.what.name().into());
        let kind = change.after.as_ref().or(change.before.as_ref()).map(|node| json!(node.kind));
        one.insert("kind".to_owned(), kind.unwrap_or_default());
        if !change.aspects.is_empty() {
            one.insert("aspects".to_owned(), json!(change.aspects));
        }
        for (name, node) in [("before", &change.before), ("after", &change.after)] {
            if let Some(node) = node {
                let mode = format!("{:04o}", node.mode);
                let mut shape = json!({ "mode": mode, "bytes": node.length });
                if let Some(shape) = shape.as_object_mut() {
                    shape.extend(node.sha256.iter().map(|hash| ("sha256".to_owned(), json!(hash))));
                    shape.extend(node.target.iter().map(|to| ("target".to_owned(), json!(to))));
                }
                one.insert(name.to_owned(), shape);
            }
        }
        if let Some(from) = &change.renamed_from {
            one.insert("renamed_from".to_owned(), from.clone().into());
        }
        if left > 0
            && change.what != What::Deleted
            && let Some(difference) = layers.difference(change)
        {
            let most = LINES_OF_ONE.min(left).min(difference.lines.len());
            left -= most;
            let mut lines: Vec<String> = difference.lines.into_iter().take(most).collect();
            lines.push(String::new());
            one.insert("diff".to_owned(), lines.join("\n").into());
        }
        Value::Object(one)
    };
    let changes: Vec<Value> = trial.changes.iter().take(TOLD).map(change).collect();
    let programs = trial.seen.programs.iter();
    json!({
        "v": super::VERSION,
        "trial": trial.id,
        "command": trial.command.iter().map(|word| redacted(word)).collect::<Vec<_>>(),
        "directory": write_name(&trial.directory),
        "began": trial.began,
        "milliseconds": trial.milliseconds,
        "means": trial.means,
        "exit": trial.exit,
        "stopped": trial.stopped,
        "changes": changes,
        "changes_left_out": trial.changes.len().saturating_sub(TOLD),
        "whole": trial.whole,
        "programs": programs.map(|(path, count)| json!({ "path": write_name(path), "times": count })).collect::<Vec<_>>(),
        "hosts": trial.wanted.iter().map(|one| json!({ "target": redacted(&one.target), "refused": one.refused })).collect::<Vec<_>>(),
        "addresses": trial.seen.addresses,
        "secrets": names(&trial.seen.secrets),
        "refused": names(&trial.seen.refused),
        "stdout": trial.stdout,
        "stderr": trial.stderr,
        "dropped": trial.dropped,
        "notes": trial.notes,
    })
}
