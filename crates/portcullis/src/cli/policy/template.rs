//! `policy template`: what an agent is told about security. Owns which template is meant and what is known when it is rendered; how, the
//! core says.

use std::{
    fs,
    io::{Read as _, Write},
    path::{Path, PathBuf},
};

use clap::ArgMatches;
use portcullis_core::{
    guardian::template::{BUILT_IN, LONGEST, Situation, Template},
    policy::{DEFAULT_FLOORS, Mode},
};

use super::{Exit, Failure, load, shown};
use crate::config::{Configuration, confirmation_words};

pub(super) fn show(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let configuration = load(matches)?;
    let template = match matches.get_one::<PathBuf>("template") {
        Some(path) => Template::Own(text(path)?),
        None => of(&configuration)?,
    };
    if matches.get_flag("source") {
        return match &template {
            Template::BuiltIn => shown(out, BUILT_IN),
            Template::Own(text) => shown(out, text),
            Template::Removed => shown(out, ""),
        };
    }
    let rendered = template.render(&situation(&configuration)).map_err(|error| {
        Failure::configuration(format_args!("the security policy cannot be rendered: {error}"))
            .with_help("it may use mode, confirmation, inline_assessment, guardian and floors")
    })?;
    shown(out, rendered.as_deref().unwrap_or_default())
}

/// What an agent is told about security under a configuration, in a mode.
pub(in crate::cli) fn rendered(
    configuration: &Configuration,
    mode: Option<Mode>,
) -> Result<Option<String>, Failure> {
    let situation = Situation { mode, ..situation(configuration) };
    of(configuration)?.render(&situation).map_err(|error| {
        Failure::configuration(format_args!("the security policy cannot be rendered: {error}"))
    })
}

/// The template of a configuration.
fn of(configuration: &Configuration) -> Result<Template, Failure> {
    match configuration.security_policy.as_deref() {
        None => Ok(Template::BuiltIn),
        Some("") => Ok(Template::Removed),
        Some(path) => text(Path::new(path)).map(Template::Own),
    }
}

fn situation(configuration: &Configuration) -> Situation {
    let options = configuration.policy.options();
    let floors = DEFAULT_FLOORS.iter().map(|floor| (*floor).to_owned());
    Situation {
        mode: options.mode,
        confirmation: confirmation_words(options.confirmation),
        inline_assessment: true,
        guardian: configuration.guardian.is_some(),
        floors: floors.chain(options.floors).collect(),
    }
}

/// A template's text, which is not read beyond what a template may have.
fn text(path: &Path) -> Result<String, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::configuration(format_args!("cannot read `{}`: {error}", path.display()))
            .with_help("name a template with `security_policy`, or leave the key away")
    };
    let mut text = String::new();
    let most = u64::try_from(LONGEST).unwrap_or(u64::MAX).saturating_add(1);
    fs::File::open(path)
        .and_then(|file| file.take(most).read_to_string(&mut text))
        .map_err(|error| failed(&error))?;
    Ok(text)
}
