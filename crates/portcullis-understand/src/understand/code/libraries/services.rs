//! Services that code signs in to. Owns what says that a library's client is one: a token, a key, a password, an address of a service.

use super::super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::text::Taint;

/// How many modules of services are remembered.
const MODULES: usize = 16;

/// Parts of the names by which a client is told who asks.
const SIGNS_IN: &[&str] = &[
    "apikey",
    "api_key",
    "auth",
    "clientsecret",
    "client_secret",
    "credential",
    "org_url",
    "orgurl",
    "password",
    "secret",
    "token",
];

impl Interpreter<'_, '_, '_> {
    /// Remembers a module whose client is told a secret.
    pub(super) fn notice_service(&mut self, module: &str, given: &[Given]) {
        let says = |name: &str| {
            let lower = name.to_ascii_lowercase();
            SIGNS_IN.iter().any(|part| lower.contains(part))
        };
        let signs_in = given.iter().any(|it| {
            it.name.as_deref().is_some_and(says)
                || it.value.taint().has(Taint::SECRET)
                || matches!(&it.value, Value::Table(table)
                    if table.iter().any(|(name, _)| says(name)))
        });
        let top = top_of(module);
        if !signs_in || self.seen.services.iter().any(|known| known == top) {
            return;
        }
        if self.seen.services.len() < MODULES {
            self.seen.services.push(top.to_owned());
        } else {
            self.limit();
        }
    }

    /// Whether code signed in with this module.
    pub(super) fn is_service(&self, module: &str) -> bool {
        let top = top_of(module);
        self.seen.services.iter().any(|known| known == top)
    }
}

/// The package that a module is of: `okta` of `okta.client`, `@paddle/sdk` as it is.
fn top_of(module: &str) -> &str {
    if module.starts_with('@') {
        return module;
    }
    module.split('.').next().unwrap_or(module)
}
