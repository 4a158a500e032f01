//! Programs that build in clouds and move files to and from them.

use super::{
    super::{
        escapes::{How, escape},
        network::copies::cloud,
    },
    Card, Connects,
};
use crate::programs::Does;

pub(super) static PULUMI: Card = Card {
    name: "pulumi",
    source: "pulumi help, 3.142",
    values: &[
        "-C",
        "-c",
        "-m",
        "-s",
        "-t",
        "-v",
        "--color",
        "--cwd",
        "--memprofilerate",
        "--message",
        "--profiling",
        "--stack",
        "--target",
        "--tracing",
        "--verbose",
    ],
    image: Some("pulumi"),
    has_keys: true,
    ..Card::EMPTY
};

pub(super) static RCLONE: Card = Card {
    name: "rclone",
    source: "rclone help flags, 1.68",
    values: &["--addr", "--config", "--exclude", "--include", "--pass", "--transfers", "--user"],
    does: Does::Custom(cloud),
    runs: &[escape("rclone", &["--password-command", "--sftp-ssh"], How::Shell)],
    image: Some("rclone"),
    connects: Some(Connects::Hosts),
    has_keys: true,
    ..Card::EMPTY
};
