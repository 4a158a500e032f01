//! Services that code signs in to. Owns what says that a library's client is one: a token, a key, a password, an address of a service.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    judged::{Called, DEPTH},
    key,
};
use crate::{
    contract::Class,
    text::{Taint, Text},
};

/// How many modules of services are remembered.
const MODULES: usize = 16;

/// Packages that are nothing but the client of a vendor's accounts, by their pages on PyPI and npm: where the key comes from a file or the
/// environment, the code need not say it. Sorted.
const VENDORS: &[&str] = &[
    "@1password",
    "@algolia",
    "@asana",
    "@atlassian",
    "@auth0",
    "@calcom",
    "@cloudinary",
    "@contentful",
    "@datadog",
    "@datocms",
    "@directus",
    "@discourse",
    "@duosecurity",
    "@easypost",
    "@elastic",
    "@fastly",
    "@freshworks",
    "@fusionauth",
    "@getbrevo",
    "@google-ads",
    "@google-analytics",
    "@hubspot",
    "@infisical",
    "@intercom",
    "@keycloak",
    "@klaviyo",
    "@lemonsqueezy",
    "@linear",
    "@livechat",
    "@mailchimp",
    "@mollie",
    "@mondaycom",
    "@mux",
    "@netlify",
    "@notionhq",
    "@octokit",
    "@okta",
    "@opsgenie",
    "@ory",
    "@paddle",
    "@pagerduty",
    "@pinecone-database",
    "@ringcentral",
    "@salesforce",
    "@sanity",
    "@segment",
    "@sendgrid",
    "@sentry",
    "@shopify",
    "@shortcut",
    "@slack",
    "@strapi",
    "@supabase",
    "@temporalio",
    "@tryghost",
    "@uploadcare",
    "@vercel",
    "@wix",
    "@woocommerce",
    "@zendesk",
    "Adyen",
    "XenAPI",
    "abodepy",
    "activecampaign",
    "aftership",
    "airbyte_api",
    "aircall",
    "airtable",
    "airtable-plus",
    "akamai",
    "akeyless",
    "algoliasearch",
    "amplitude",
    "arcgis",
    "ariba_client",
    "artifactory",
    "asana",
    "atlassian",
    "attentive",
    "auth0",
    "authentik_client",
    "authlete",
    "awxkit",
    "bamboohr",
    "basecamp",
    "bigcartel",
    "bigcommerce",
    "bitmovin",
    "bitwarden_sdk",
    "braintree",
    "braze",
    "brevo",
    "brex",
    "buildkite",
    "calendly",
    "canvasapi",
    "cbapi",
    "cbc_sdk",
    "chargebee",
    "checkly",
    "cin7",
    "circleci",
    "clerk_backend_api",
    "clickup",
    "clockify",
    "closeio",
    "cloudinary",
    "codaio",
    "codecov",
    "codemagic",
    "comet_ml",
    "configcat",
    "confluence",
    "confluent",
    "constantcontact",
    "contentful",
    "contentful-management",
    "coupa",
    "crisp-api",
    "customerio",
    "cvprac",
    "datadog",
    "datadog_api_client",
    "dato",
    "dbtc",
    "descope",
    "digitalocean",
    "directus",
    "discourse",
    "dnsimple",
    "docusign",
    "docusign_esign",
    "doppler",
    "dropbox",
    "duo_client",
    "dwolla",
    "dwollav2",
    "dynatrace",
    "easypost",
    "ecwid",
    "eloqua",
    "eventbrite",
    "exchangelib",
    "exoscale",
    "expensify",
    "falconpy",
    "fastly",
    "filestack",
    "firebase_admin",
    "fivetran",
    "freshbooks",
    "freshdesk",
    "frontapp",
    "fusionauth",
    "gandi",
    "gelato",
    "getresponse",
    "ghost",
    "gitea",
    "giteapy",
    "github3",
    "gitlab",
    "gladly",
    "glpi_api",
    "gocardless-nodejs",
    "gocardless_pro",
    "godaddypy",
    "gorgias",
    "grafana_client",
    "greenhouse",
    "harbor",
    "harvest_api",
    "hcloud",
    "helpscout",
    "helpscout-sdk",
    "heroku",
    "hightouch",
    "hubspot",
    "hvac",
    "hygraph",
    "icinga2api",
    "infisical_sdk",
    "infoblox_client",
    "intercom",
    "ionoscloud",
    "iterable",
    "jcapiv2",
    "jenkins",
    "jenkinsapi",
    "jira",
    "jotform",
    "jsforce",
    "keycdn",
    "keycloak",
    "klaviyo",
    "klaviyo_api",
    "kr8s",
    "kustomer",
    "launchdarkly-api",
    "launchdarkly_api",
    "libcloud",
    "lightkube",
    "lightspeed",
    "linear_api",
    "linode_api4",
    "lithic",
    "livechat",
    "lob",
    "looker_sdk",
    "magento",
    "mailchimp_marketing",
    "mailerlite",
    "mailersend",
    "mandrill",
    "marketo",
    "marketorestpython",
    "marqeta",
    "meraki",
    "mercury_sdk",
    "metabase_api",
    "mixpanel",
    "mlflow_skinny",
    "modern-treasury",
    "modern_treasury",
    "mollie",
    "monday",
    "monday-sdk-js",
    "mux_python",
    "namecheap",
    "neptune",
    "netlify",
    "netsuite",
    "newrelic",
    "newrelic_api",
    "notion-client",
    "notion_client",
    "ns1",
    "nylas",
    "okta",
    "olark",
    "omnisend",
    "onelogin",
    "onepasswordconnectsdk",
    "onesignal",
    "onfleet",
    "opsgenie",
    "opsgenie_sdk",
    "ory_client",
    "ovh",
    "pagerduty",
    "pagerduty_sdk",
    "pardot",
    "patreon",
    "pdpyras",
    "phpipam",
    "pingdom",
    "pipedrive",
    "plaid",
    "planetscale",
    "porkbun",
    "posthog",
    "prefect",
    "prestapyt",
    "prestashop",
    "printful",
    "printify",
    "prismic",
    "proxmoxer",
    "pyVim",
    "pyVmomi",
    "pyairtable",
    "pykube",
    "pynautobot",
    "pynetbox",
    "pysnc",
    "pysnow",
    "pyzabbix",
    "quickbooks",
    "ramp",
    "rapid7",
    "reamaze",
    "recurly",
    "ring_doorbell",
    "ringcentral",
    "rollbar",
    "rundeck_client",
    "sageintacct",
    "salesforce",
    "salesloft",
    "scaleway",
    "sentry",
    "shipengine",
    "shippo",
    "shipstation",
    "shodan",
    "shopify",
    "shopify-api-node",
    "shopify_api",
    "shortcut",
    "shotstack",
    "sib_api_v3_sdk",
    "simple_salesforce",
    "simplipy",
    "sinch",
    "smartsheet",
    "snyk",
    "sonarqube",
    "sparkpost",
    "splunk-sdk",
    "splunklib",
    "spotinst",
    "squarespace",
    "squareup",
    "statuscake",
    "statuspage",
    "statuspageio",
    "storyblok",
    "strapi",
    "stytch",
    "surveymonkey",
    "tableau_api_lib",
    "tableauserverclient",
    "tawk",
    "telnyx",
    "temporalio",
    "tenable",
    "terrasnek",
    "tfe_api",
    "ticketmaster",
    "todoist",
    "toggl",
    "tradegecko",
    "transip",
    "trello",
    "trello.js",
    "twilio",
    "typeform",
    "unifi",
    "unit_sdk",
    "upcloud_api",
    "uploadcare",
    "uptime_kuma_api",
    "uptimerobot",
    "urbanairship",
    "vercel",
    "vercel-sdk",
    "victorops",
    "vimeo",
    "vultr",
    "wandb",
    "webexteamssdk",
    "webflow",
    "wistia",
    "woocommerce",
    "wordpress_xmlrpc",
    "workday_sdk",
    "workos",
    "wrike",
    "xero",
    "xero_python",
    "xmatters",
    "yotpo",
    "zabbix_utils",
    "zendesk",
    "zenpy",
    "zoho",
    "zoomus",
    "zscaler",
    "zuora",
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
    /// Remembers a module whose client is told a secret, or another machine.
    pub(super) fn notice_service(&mut self, module: &str, name: &str, given: &[Given]) {
        let says = names_a_secret;
        let signs_in = given.iter().any(|it| {
            it.name.as_deref().is_some_and(says)
                || it.value.taint().has(Taint::SECRET)
                || matches!(&it.value, Value::Table(table)
                    if table.iter().any(|(name, _)| says(name)))
        }) || logs_in(name, given);
        // What a database or a library with a card of its own is told is judged by that.
        let has_no_card = super::of_module(module).is_none_or(|card| card.otherwise.is_none());
        let signs_in = signs_in
            || has_no_card
                && given.iter().any(|it| is_elsewhere(it.name.as_deref(), &it.value, DEPTH));
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
        is_vendor(module) || self.seen.services.iter().any(|known| known == top)
    }

    /// A request by its method and path that a vendor's client makes: `client.put("/incidents", …)`.
    pub(super) fn request_of_a_service(
        &mut self,
        called: &Called<'_>,
        given: &[Given],
        span: Span,
    ) -> bool {
        let path = given.first().map(|it| it.value.text()).unwrap_or_default();
        let verb = called.key.strip_prefix(['j', 'r']).unwrap_or(&called.key);
        let is_request = matches!(verb, "delete" | "patch" | "post" | "put")
            && path.known_prefix().starts_with('/');
        if is_request {
            let mut address = Text::unknown("the service");
            address.append(&path);
            let body = given.get(1).map(|it| it.value.text());
            self.request_by(verb, &address, body.as_ref(), span);
            // One after the other of all that there is.
            if verb == "delete" && self.is_repeated(span) {
                self.deed(Class::Delete, false, called, given, span);
            }
        }
        is_request
    }
}

/// Whether a module is the package of somebody who sells a service.
pub(in super::super) fn is_vendor(module: &str) -> bool {
    let top = top_of(module);
    VENDORS.binary_search(&top.split('/').next().unwrap_or(top)).is_ok()
}

/// Whether an argument is what one signs in with, by its name.
pub(in super::super) fn names_a_secret(name: &str) -> bool {
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

/// `client.login("name", "password")`, `Client("me@example.com", "password")`
fn logs_in(name: &str, given: &[Given]) -> bool {
    let mut words =
        given.iter().filter(|it| it.name.is_none() && matches!(it.value, Value::Text(_)));
    let first = words.next().and_then(|it| it.value.as_known()).unwrap_or_default();
    let is_made = name.starts_with(|it: char| it.is_ascii_uppercase())
        && first.contains('@')
        && !first.contains(['/', ' ']);
    let logs_in =
        matches!(key(name).as_str(), "authenticate" | "log_in" | "login" | "sign_in" | "signin");
    (logs_in || is_made) && words.next().is_some()
}

/// Whether a client is told a machine that is not this one: `host="db.example.com"`, `{servers: "nats.example.com"}`, an address with a
/// name and a password.
fn is_elsewhere(name: Option<&str>, value: &Value, levels: usize) -> bool {
    const NAMES: &[&str] =
        &["broker", "brokers", "contactPoints", "host", "hosts", "hostname", "servers"];
    let Some(levels) = levels.checked_sub(1) else { return false };
    match value {
        Value::Text(text) => {
            let known = text.known_prefix();
            let has_password = known
                .split_once("://")
                .and_then(|(_, rest)| rest.split('/').next()?.rsplit_once('@'))
                .is_some_and(|(who, host)| who.contains(':') && !is_here(host));
            let is_host = name.is_some_and(|name| NAMES.contains(&name))
                && known.contains('.')
                && !is_here(known);
            has_password || is_host
        }
        Value::List(list) => list.iter().any(|one| is_elsewhere(name, one, levels)),
        Value::Table(table) => {
            table.iter().any(|(name, one)| is_elsewhere(Some(name), one, levels))
        }
        _ => false,
    }
}

fn is_here(host: &str) -> bool {
    let host = host.split_once("://").map_or(host, |(_, rest)| rest);
    ["localhost", "127.", "0.0.0.0", "::1", "[::1", "host.docker.internal"]
        .iter()
        .any(|start| host.starts_with(start))
}

/// The package that a module is of: `okta` of `okta.client`, `@paddle/sdk` as it is.
pub(in super::super) fn top_of(module: &str) -> &str {
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
