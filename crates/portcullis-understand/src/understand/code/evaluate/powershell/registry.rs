//! Values of the registry. Owns which of its places make something start by itself, weaken protection, or belong to the
//! machine.

use super::{
    super::{
        Evaluator,
        value::{Value, part},
    },
    Bound, paths,
};
use crate::{
    effect::Argument,
    programs::host::Host,
    text::{Taint, Text},
};

/// What a command does with values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in super::super) enum Registry {
    /// One is set.
    Set,
    /// One is gone.
    Remove,
    /// What a path names is set, on whatever drive.
    Item,
    /// One is given.
    Get,
}

impl Evaluator<'_, '_> {
    pub(super) fn registry_values(&mut self, does: Registry, bound: &Bound) -> Value {
        let names = ["path", "literalpath"];
        let place = bound.get(&names).or(bound.input.as_ref()).cloned();
        let Some(place) = place else { return Value::Nothing };
        let span = bound.span_of(&names);
        let path = self.path_argument(&place, span);
        let drive = paths::drive(path.text.known_prefix());
        let mut content = Text::default();
        for name in ["name", "value"] {
            content.append(&bound.get(&[name]).map(|it| self.text(it)).unwrap_or_default());
            content.push_known(" ");
        }
        match (does, drive) {
            (Registry::Get, Some(_)) => {
                let name = bound.get(&["name"]).map(|it| self.text(it).display());
                let mut shown = part(&path.text, name.as_deref().unwrap_or("values"));
                let lower = path.text.display().to_ascii_lowercase();
                if SECRET.iter().any(|it| lower.contains(it)) {
                    shown.taint = shown.taint.with(Taint::SECRET);
                }
                return Value::Text(shown);
            }
            (Registry::Get, None) => return Value::Text(path.text),
            (Registry::Remove, Some(_)) => self.walk.note("windows.registry.delete", span),
            (_, Some(paths::Drive::Registry)) => self.registry_set(&path, &content),
            (_, Some(paths::Drive::Remote)) => self.walk.note("windows.remote.command", span),
            (_, Some(paths::Drive::Directory)) => self.walk.note("windows.account.change", span),
            (Registry::Item, Some(paths::Drive::Environment)) => {
                let shown = path.text.display().replace('\\', "/");
                let name = shown.rsplit([':', '/']).next().unwrap_or("").to_owned();
                let value = bound.get(&["value"]).cloned().unwrap_or(Value::Nothing);
                self.set_variable(&format!("env:{name}"), vec![value], span);
            }
            (Registry::Item, Some(paths::Drive::Session)) => {
                let shown = path.text.display().replace('\\', "/");
                let (drive, name) = shown.split_once(':').unwrap_or(("", &shown));
                let name = name.trim_start_matches('/').to_owned();
                let value = bound.get(&["value"]).cloned().unwrap_or(Value::Nothing);
                self.set_variable(&format!("{drive}:{name}"), vec![value], span);
            }
            // Attributes of files.
            _ => {}
        }
        Value::Nothing
    }

    /// Something is set in the registry.
    pub(super) fn registry_set(&mut self, path: &Argument, content: &Text) {
        let lower = path.text.display().to_ascii_lowercase().replace('/', "\\");
        let value = content.display().to_ascii_lowercase();
        let holds = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
        if holds(GUARDING) || GUARDING_VALUES.iter().any(|name| value.contains(name)) {
            self.walk.note("code.powershell.guard", path.span);
        }
        if holds(STARTS) {
            self.walk.note("windows.persistence.task", path.span);
        } else if !lower.contains("hkcu") && !lower.contains("hkey_current_user") {
            self.walk.note("windows.registry.machine", path.span);
        }
    }
}

/// Places where programs keep passwords.
const SECRET: &[&str] = &[
    "putty\\sessions",
    "simontatham",
    "winscp",
    "\\sam",
    "winlogon",
    "openssh",
    "realvnc",
    "tightvnc",
    "credentials",
    "teamviewer",
    "\\passwords",
];

/// Places from which things start.
const STARTS: &[&str] = &[
    "\\run",
    "winlogon",
    "\\services",
    "image file execution",
    "appinit",
    "\\shell\\open\\command",
    "inprocserver32",
    "userinitmprlogonscript",
    "\\environment",
    "session manager",
    "active setup",
    "\\lsa",
    "shellserviceobject",
    "browser helper objects",
    "command processor",
    "silentprocessexit",
];

/// Places of what guards the machine.
const GUARDING: &[&str] = &[
    "windows defender",
    "policies\\system",
    "windowsfirewall",
    "firewallpolicy",
    "scriptblocklogging",
    "modulelogging",
    "\\amsi",
    "securityhealth",
    "deviceguard",
    "windowsupdate",
    "\\wdigest",
    "\\eventlog",
    "systemrestore",
    "real-time protection",
];

/// Values that weaken what guards it, wherever they stand.
const GUARDING_VALUES: &[&str] = &[
    "amsienable",
    "disableantispyware",
    "disablerealtimemonitoring",
    "enablelua",
    "fdenytsconnections",
    "localaccounttokenfilterpolicy",
    "runasppl",
    "uselogoncredential",
];
