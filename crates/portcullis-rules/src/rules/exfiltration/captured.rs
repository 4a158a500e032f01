//! What programs record of a person or tell of a machine, and where it goes. Owns which programs do.

use super::{
    super::{Hit, Scene, effects, flow::host_kind, hosts::HostKind},
    hit, holds_keys, is_drop, sent,
};
use crate::{
    effect::{Argument, Effect, EffectKind, Run},
    programs,
    risk::Severity,
    text::Taint,
};

/// Programs that take what a person has before them: the clipboard, the screen, the camera, the microphone. Sorted.
const CAPTURES: &[&str] = &[
    "arecord",
    "ffmpeg",
    "flameshot",
    "fswebcam",
    "gnome-screenshot",
    "grim",
    "imagesnap",
    "import",
    "maim",
    "pbpaste",
    "rec",
    "screencapture",
    "scrot",
    "spectacle",
    "tmux",
    "wl-paste",
    "xclip",
    "xfce4-screenshooter",
    "xsel",
    "xwd",
];

/// Of these only some inputs are a person's screen or voice.
const DEVICES: &[&str] =
    &["alsa", "avfoundation", "gdigrab", "kmsgrab", "pulse", "video4linux2", "v4l2", "x11grab"];

fn captures(run: &Run) -> bool {
    let words = || run.arguments.iter().filter_map(|argument| argument.text.as_known());
    // `osascript -e 'the clipboard'` prints it.
    let prints_clipboard = run.program == "osascript"
        && words().any(|word| word.to_ascii_lowercase().contains("the clipboard"));
    (CAPTURES.binary_search(&run.program.as_str()).is_ok() || prints_clipboard)
        && (run.program != "ffmpeg" || words().any(|word| DEVICES.contains(&word)))
        && (run.program != "tmux" || words().any(|word| TERMINALS.contains(&word)))
        && (run.program != "import" || words().any(|word| word == "-window" || word == "root"))
}

/// Commands of `tmux` that give away what a person types and sees.
const TERMINALS: &[&str] = &["capture-pane", "capturep", "pipe-pane", "pipep"];

/// What captures print is sent, or the file that one was told to write.
pub(super) fn screen_sent(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let (connection, sends) = sent(effect)?;
    let by_stream =
        scene.origins(sends).iter().any(|origin| effects::run(origin).is_some_and(captures));
    let by_file = || {
        let files = scene.files_of(sends);
        let named = |argument: &Argument| {
            files.iter().any(|target| {
                target.text.as_known().is_some_and(|file| argument.text.as_known() == Some(file))
            })
        };
        // What sends names the file that was told to be written.
        let sender = scene.program_around(effect);
        let is_sent = |argument: &Argument| {
            let written = argument.text.as_known().filter(|name| name.contains(['.', '/']));
            let names = |word: &Argument| {
                word.text.as_known().and_then(|word| word.rsplit(['@', '=']).next()) == written
            };
            written.is_some() && sender.is_some_and(|run| run.arguments.iter().any(names))
        };
        let mut runs = scene.effects.list.iter().filter_map(effects::run);
        runs.any(|run| {
            captures(run)
                && run.arguments.iter().any(|argument| named(argument) || is_sent(argument))
        })
    };
    (by_stream || by_file()).then(|| {
        hit(
            connection,
            Severity::High,
            "what a person has on the screen or in the clipboard is sent",
        )
    })
}

/// Programs that carry copies to where a team keeps them; what they are given is looked at by its receiver alone.
const KEEPERS: &[&str] =
    &["aws", "az", "azcopy", "b2", "gcloud", "gsutil", "mc", "rclone", "restic", "s3cmd"];

pub(super) fn rows_sent(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let (connection, sends) = sent(effect)?;
    let is_rows = |origin: &Effect| match &origin.kind {
        // Code keeps the answer of a statement only where it is about people.
        EffectKind::Query { .. } => true,
        _ => effects::run(origin).is_some_and(programs::databases::prints_rows),
    };
    scene.origins(sends).iter().any(|origin| is_rows(origin)).then_some(())?;
    // Another machine that nobody here names is not where a team keeps its copies.
    let is_named =
        connection.host.as_ref().is_some_and(|host| scene.facts.hosts.iter().any(|it| it == host));
    let keeps =
        scene.program_around(effect).is_some_and(|run| KEEPERS.contains(&run.program.as_str()));
    let is_kept = matches!(host_kind(connection), HostKind::Named) && (keeps || is_named)
        // A bucket has a name of one word as well, and is nowhere near.
        || !keeps && matches!(host_kind(connection), HostKind::Private);
    let severity = if is_kept { Severity::Medium } else { Severity::High };
    Some(hit(connection, severity, "what the database holds is sent"))
}

pub(super) fn output_sent(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let (connection, sends) = sent(effect)?;
    if sends.taint != Taint::NONE || !sends.has_unknown() || is_drop(connection) {
        return None;
    }
    let run = scene.origins(sends).into_iter().find_map(|origin| match &origin.kind {
        EffectKind::Run(run) if reports_on_machine(&run.program) || holds_keys(run) => Some(run),
        _ => None,
    })?;
    let severity = match host_kind(connection) {
        HostKind::Hidden => Severity::High,
        HostKind::Local | HostKind::Private => Severity::Medium,
        _ if holds_keys(run) => Severity::High,
        _ => Severity::Medium,
    };
    Some(hit(connection, severity, &format!("the output of `{}` is sent", run.program)))
}

fn reports_on_machine(program: &str) -> bool {
    matches!(
        program,
        "whoami"
            | "id"
            | "uname"
            | "hostname"
            | "ps"
            | "ifconfig"
            | "ip"
            | "netstat"
            | "ss"
            | "lsof"
            | "w"
            | "who"
            | "last"
            | "groups"
            | "lscpu"
            | "lsblk"
            | "mount"
            | "df"
            | "systemctl"
            | "dmesg"
            | "hostnamectl"
            | "ls"
            | "find"
            | "git"
            | "getent"
            | "history"
            | "crontab"
            | "route"
            | "arp"
    )
}
