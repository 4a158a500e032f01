//! What is done to devices that hang on this machine: phones and boards. Owns how a command of theirs is read.

use super::super::{
    Hit, Scene,
    effects::{run, words},
};
use crate::effect::Effect;

/// `adb shell rm -rf /sdcard/…`: as a shell there reads the words.
pub(super) fn erases_device(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let run = run(effect).filter(|run| run.program == "adb")?;
    let mut words =
        words(run).skip_while(|word| *word != "shell").skip(1).flat_map(str::split_whitespace);
    let code: Vec<&str> = words.by_ref().collect();
    let has = |wanted: &str| code.contains(&wanted);
    let is_many =
        |word: &&str| word.starts_with('-') && word.contains(['r', 'R']) || word.contains('*');
    let is_bench = |word: &&str| {
        word.starts_with("/data/local/tmp/") || word.contains("/cache/") || !word.starts_with('/')
    };
    let removes = code.split(|word| matches!(*word, ";" | "&&" | "||" | "|")).any(|command| {
        command.first() == Some(&"rm")
            && command.iter().any(is_many)
            && !command.iter().skip(1).all(is_bench)
    });
    let wipes = has("recovery") && code.iter().any(|word| word.starts_with("--wipe"))
        || code.iter().any(|word| word.ends_with("MASTER_CLEAR"))
        || has("content") && has("delete");
    (removes || wipes).then(Hit::default)
}
