//! Programs that build what is described in files.

use super::{
    super::{
        manuals::{Dashes, Manual, Words},
        operators,
    },
    Card, Connects,
};
use crate::effect::WriteMode;

const EITHER: Card = Card {
    values: operators::TERRAFORM,
    manual: Some(&MANUAL),
    writes: Some((&["-out", "-state-out"], WriteMode::Replace)),
    looks: &["version", "show", "validate", "output"],
    connects: Some(Connects::Hosts),
    server: &["-backend-config"],
    has_keys: true,
    ..Card::EMPTY
};

pub(super) static TERRAFORM: Card =
    Card { name: "terraform", source: "terraform -help, 1.x", image: Some("terraform"), ..EITHER };

/// The same program by those who went on with it when its licence changed.
pub(super) static TOFU: Card =
    Card { name: "tofu", source: "tofu -help, 1.8", image: Some("opentofu"), ..EITHER };

static MANUAL: Manual = Manual {
    programs: &["terraform", "tofu"],
    source: "terraform -help, 1.x",
    dashes: Dashes::One,
    flags: Words(
        "-allow-deferral -allow-missing -auto-approve -compact-warnings -concise -deny \
        -detailed-exitcode -draw-cycles -dry-run -enable-plugin-cache -force -force-copy -h \
        -help -ignore-remote-version -light -lock-file -migrate-state -no-color -no-tests -raw \
        -reconfigure -recursive -refresh-only -show-sensitive -update -verbose -version",
    ),
    values: Words(
        "-backup -config -consolidate-errors -consolidate-warnings -deprecation -encryption \
        -filter -id -lock-timeout -lockfile -module-depth -parallelism -platform -provider \
        -replace -state -target -test-directory -var",
    ),
    either: Words(
        "-backend -check -cloud-run -destroy -diff -exclude -get -input -json -list -lock -plan \
        -refresh -type -upgrade -write",
    ),
    followed: Words("-chdir -out -state-out -var-file"),
    writes: Words("-fs-mirror -generate-config-out -junit-xml"),
    loads: Words("-from-module -plugin-dir"),
    reaches: Words("-backend-config -net-mirror"),
    ..Manual::EMPTY
};
