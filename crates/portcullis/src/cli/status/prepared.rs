//! What `status` and `doctor` tell of projects that were kept before anything of them was lost.

use serde_json::Value;

use super::Setting;
use crate::install::doctor::Check;
#[cfg(target_os = "linux")]
use crate::{
    install::doctor::Proof,
    report::visible,
    tree::write_name,
    undo::{self, Prepared},
};

/// The most projects that are named.
#[cfg(target_os = "linux")]
const NAMED: usize = 10;

/// For programs.
#[cfg(target_os = "linux")]
pub(super) fn shapes(setting: &Setting) -> Vec<Value> {
    undo::prepared(&setting.record_directory()).iter().map(Prepared::shape).collect()
}

/// For a person.
#[cfg(target_os = "linux")]
pub(super) fn page(setting: &Setting) -> String {
    let kept = setting.configuration.snapshots;
    let told = if kept.enabled && kept.hooks && kept.ahead {
        "by hooks, in the background, where a project has many files"
    } else {
        "by `portcullis undo --prepare` alone"
    };
    let mut text = format!("kept before anything is lost (`[undo] ahead`): {told}\n");
    let all = undo::prepared(&setting.record_directory());
    for one in all.iter().take(NAMED) {
        text.push_str(&format!("  {}\n", visible::line(&line(one))));
    }
    if all.len() > NAMED {
        text.push_str(&format!("  and {} more projects\n", all.len() - NAMED));
    }
    text
}

/// What was not kept whole.
#[cfg(target_os = "linux")]
pub(super) fn checks(setting: &Setting) -> Vec<Check> {
    let all = undo::prepared(&setting.record_directory());
    let parts = all.iter().filter(|one| !one.left_out.is_empty()).take(NAMED);
    parts
        .map(|one| Check::new(Proof::Note, format!("kept before anything is lost: {}", line(one))))
        .collect()
}

#[cfg(target_os = "linux")]
fn line(prepared: &Prepared) -> String {
    let Prepared { workspace, taken, milliseconds, files, left_out, .. } = prepared;
    let name = write_name(workspace);
    if taken.is_empty() {
        return format!("`{name}`: begun, and not ended yet");
    }
    let taken = taken.get(..19).unwrap_or(taken);
    let rest = match left_out.first() {
        None => String::new(),
        Some(first) => format!("; not all of it: {first}"),
    };
    format!("`{name}`: {files} files, last looked at {taken} for {milliseconds} ms{rest}")
}

#[cfg(not(target_os = "linux"))]
pub(super) fn shapes(_: &Setting) -> Vec<Value> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn page(_: &Setting) -> String {
    String::new()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn checks(_: &Setting) -> Vec<Check> {
    Vec::new()
}
