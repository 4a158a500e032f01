//! Services that code signs in to. Owns what says that a library's client is one: a token, a key, a password, an address of a service.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    judged::{Called, DEPTH},
};
use crate::text::{Taint, Text};

/// How many modules of services are remembered.
const MODULES: usize = 16;

/// Packages that are nothing but the client of a vendor's accounts, by their pages on PyPI and npm: where the key comes from a file or the
/// environment, the code need not say it. Sorted.
const VENDORS: &[&str] = &[
    "@algolia",
    "@atlassian",
    "@auth0",
    "@contentful",
    "@datadog",
    "@elastic",
    "@freshworks",
    "@google-ads",
    "@google-analytics",
    "@hubspot",
    "@intercom",
    "@klaviyo",
    "@mailchimp",
    "@netlify",
    "@notionhq",
    "@octokit",
    "@okta",
    "@opsgenie",
    "@pagerduty",
    "@pinecone-database",
    "@sanity",
    "@segment",
    "@sendgrid",
    "@sentry",
    "@shopify",
    "@slack",
    "@supabase",
    "@vercel",
    "@wix",
    "@woocommerce",
    "@zendesk",
    "Adyen",
    "airtable",
    "algoliasearch",
    "asana",
    "atlassian",
    "auth0",
    "authlete",
    "bigcommerce",
    "braze",
    "buildkite",
    "chargebee",
    "circleci",
    "clerk_backend_api",
    "clickup",
    "codemagic",
    "configcat",
    "confluent",
    "contentful",
    "contentful-management",
    "customerio",
    "datadog",
    "datadog_api_client",
    "digitalocean",
    "dnsimple",
    "docusign",
    "docusign_esign",
    "doppler",
    "dropbox",
    "exchangelib",
    "fastly",
    "firebase_admin",
    "freshdesk",
    "frontapp",
    "gandi",
    "github3",
    "gitlab",
    "grafana_client",
    "hcloud",
    "helpscout",
    "heroku",
    "hubspot",
    "hvac",
    "intercom",
    "jenkins",
    "jenkinsapi",
    "jira",
    "jsforce",
    "klaviyo",
    "klaviyo_api",
    "launchdarkly-api",
    "launchdarkly_api",
    "linode_api4",
    "lob",
    "looker_sdk",
    "mailchimp_marketing",
    "mailerlite",
    "mixpanel",
    "namecheap",
    "netlify",
    "newrelic",
    "newrelic_api",
    "notion-client",
    "notion_client",
    "ns1",
    "nylas",
    "okta",
    "onelogin",
    "onfleet",
    "opsgenie",
    "opsgenie_sdk",
    "ovh",
    "pagerduty",
    "patreon",
    "pdpyras",
    "pingdom",
    "pipedrive",
    "plaid",
    "planetscale",
    "porkbun",
    "posthog",
    "quickbooks",
    "rollbar",
    "salesforce",
    "scaleway",
    "sentry",
    "shippo",
    "shodan",
    "shopify",
    "shopify-api-node",
    "shopify_api",
    "shotstack",
    "simple_salesforce",
    "snyk",
    "spotinst",
    "squarespace",
    "statuspage",
    "statuspageio",
    "terrasnek",
    "tfe_api",
    "todoist",
    "trello",
    "trello.js",
    "twilio",
    "unifi",
    "vercel",
    "vercel-sdk",
    "victorops",
    "vultr",
    "webexteamssdk",
    "webflow",
    "woocommerce",
    "wordpress_xmlrpc",
    "workos",
    "xero",
    "xero_python",
    "xmatters",
    "zendesk",
    "zenpy",
    "zoho",
    "zoomus",
];

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
        let says = names_a_secret;
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
        let vendor = top.split('/').next().unwrap_or(top);
        VENDORS.binary_search(&vendor).is_ok()
            || self.seen.services.iter().any(|known| known == top)
    }

    /// A request by its method and path that a vendor's client makes: `client.put("/incidents", …)`.
    pub(super) fn request_of_a_service(
        &mut self,
        called: &Called<'_>,
        given: &[Given],
        span: Span,
    ) -> bool {
        let path = given.first().map(|it| it.value.text()).unwrap_or_default();
        let is_request = matches!(called.key.as_str(), "delete" | "patch" | "post" | "put")
            && path.known_prefix().starts_with('/');
        if is_request {
            let mut address = Text::unknown("the service");
            address.append(&path);
            let body = given.get(1).map(|it| it.value.text());
            self.request_by(called.key.as_str(), &address, body.as_ref(), span);
        }
        is_request
    }
}

/// Whether an argument is what one signs in with, by its name.
pub(super) fn names_a_secret(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    SIGNS_IN.iter().any(|part| lower.contains(part))
}

/// Whether a call says that something is switched off: `enabled: false`, `status="disabled"`.
pub(super) fn switches_off(given: &[Given]) -> bool {
    let says = |name: &str, value: &Value| match name.to_ascii_lowercase().as_str() {
        "active" | "enabled" | "is_active" | "is_enabled" | "isactive" | "isenabled" => {
            value.is_false()
        }
        "archived" | "disabled" | "in_trash" => value.is_true(),
        "state" | "status" => value.as_known().is_some_and(|known| {
            let known = known.to_ascii_lowercase();
            matches!(known.as_str(), "disabled" | "inactive" | "off" | "paused" | "suspended")
        }),
        _ => false,
    };
    fn within(value: &Value, levels: usize, says: &dyn Fn(&str, &Value) -> bool) -> bool {
        let Some(levels) = levels.checked_sub(1) else { return false };
        match value {
            Value::Table(table) => {
                table.iter().any(|(name, value)| says(name, value) || within(value, levels, says))
            }
            Value::List(list) | Value::Any(list) => {
                list.iter().any(|one| within(one, levels, says))
            }
            _ => false,
        }
    }
    given.iter().any(|it| {
        it.name.as_deref().is_some_and(|name| says(name, &it.value))
            || within(&it.value, DEPTH, &says)
    })
}

/// The package that a module is of: `okta` of `okta.client`, `@paddle/sdk` as it is.
fn top_of(module: &str) -> &str {
    if module.starts_with('@') {
        return module;
    }
    module.split('.').next().unwrap_or(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vendors_are_sorted_so_that_they_can_be_searched() {
        assert!(VENDORS.is_sorted());
    }
}
