//! What `url`, `fetch` and `proxy` have in common: the policy that they connect under, and the runtime that they wait in.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, value_parser};
use portcullis_core::network::NetworkPolicy;
use portcullis_net::{GuardOptions, ResolverOptions};

use super::{Failure, policy as policies};
use crate::config::{Configuration, Network};

pub(super) fn configuration_arguments() -> Vec<Arg> {
    vec![
        Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("Use this configuration in place of your own"),
    ]
}

/// What the configuration says about the network, the file of this project included.
pub(super) fn network(matches: &ArgMatches) -> Result<Network, Failure> {
    Ok(configuration(matches)?.network)
}

/// All of the configuration, the file of this project included.
pub(super) fn configuration(matches: &ArgMatches) -> Result<Configuration, Failure> {
    policies::in_this_workspace(&policies::load(matches)?)
}

pub(super) fn policy(network: &Network) -> Result<NetworkPolicy, Failure> {
    network.policy().map_err(Failure::configuration)
}

/// The guard that everything connects through.
pub(super) fn guard(network: &Network) -> Result<GuardOptions, Failure> {
    let servers = network.name_servers.clone();
    Ok(GuardOptions {
        policy: policy(network)?,
        resolver: ResolverOptions { servers, ..ResolverOptions::default() },
        ..GuardOptions::default()
    })
}

/// Where one thing at a time waits for the network.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::internal(format_args!("cannot wait for the network: {error}")))
}
