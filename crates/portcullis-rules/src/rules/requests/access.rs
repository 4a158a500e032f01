//! Requests that administer a service: who may do what there, what its names lead to, whether something runs. Owns the parts of a path and
//! of a body by which such a request is known, where no table knows the service itself.

use crate::text::Text;

/// What a request is about, where to change it at all is to change who gets in or where traffic goes.
const ABOUT: &[&str] = &[
    "acl",
    "acls",
    "admins",
    "autoforwarding",
    "collaborators",
    "compensation",
    "deploy_keys",
    "dns_records",
    "downtime",
    "downtimes",
    "erasedevice",
    "feature_flags",
    "firewall",
    "firewalls",
    "flags",
    "forwardingaddresses",
    "iam",
    "inboxrules",
    "invitations",
    "maintenance_windows",
    "members",
    "memberships",
    "messagerules",
    "payroll",
    "permissions",
    "role_assignments",
    "rulesets",
    "salaries",
    "silences",
];

/// The same, where what is there is replaced; to add one more is ordinary.
const REPLACED: &[&str] = &[
    "certificates",
    "domains",
    "policies",
    "protection",
    "roles",
    "routes",
    "secrets",
    "settings",
    "zones",
];

/// What is done, where the path says it as its last part.
const DONE: &[&str] = &[
    "alarm_disarm",
    "ban",
    "deactivate",
    "disable",
    "disarm",
    "failover",
    "kill",
    "merge",
    "mute",
    "mute_all",
    "open_cover",
    "open_garage",
    "pause",
    "power_off",
    "promote",
    "publish",
    "reboot",
    "reset_factors",
    "reset_mfa",
    "restart",
    "revoke",
    "rollback",
    "scripttext",
    "silence",
    "stop",
    "suspend",
    "transfer",
    "transfer_ownership",
    "unlock",
    "unpublish",
    "unsubscribe",
];

/// What a body says when it opens something to everybody, makes somebody its master, switches
/// something off or puts it before everybody's eyes. Spaces and quotes are put aside.
const OPENS: &[&str] = &[
    "access:public",
    "active:false",
    "enabled:false",
    "is_admin:true",
    "is_superuser:true",
    "isadmin:true",
    "private:false",
    "public:true",
    "role:admin",
    "role:owner",
    "status:deactivated",
    "status:disabled",
    "status:publish",
    "status:published",
    "status:suspended",
    "status:terminated",
    "status:voided",
    "target:production",
    "visibility:public",
];

/// Whether a request by this method administers what its path names.
pub(super) fn administers(method: &str, path: &str, body: Option<&Text>) -> bool {
    if !matches!(method, "POST" | "PUT" | "PATCH") {
        return false;
    }
    // A letter may be written by its number.
    let path = path.replace("%5F", "_").replace("%5f", "_").replace("%2D", "-").replace("%2d", "-");
    let parts: Vec<String> = path
        .split(['/', ':'])
        .filter(|part| !part.is_empty())
        .map(|part| part.to_ascii_lowercase().replace('-', "_"))
        .collect();
    let has = |words: &[&str]| parts.iter().any(|part| words.contains(&part.as_str()));
    let replaces = method != "POST" && has(REPLACED);
    let does = parts.last().is_some_and(|last| DONE.contains(&last.as_str()));
    // What is sent to one that is there is a message to it.
    let hooks = parts.iter().position(|part| part == "webhooks");
    let about_hooks = hooks.is_some_and(|at| method != "POST" || at + 1 == parts.len());
    has(ABOUT) || about_hooks || replaces || does || body.is_some_and(opens)
}

fn opens(body: &Text) -> bool {
    let plain: String = body
        .display()
        // `private:=false` of httpie
        .replace(":=", "=")
        .chars()
        .filter(|letter| !letter.is_whitespace() && !matches!(letter, '"' | '\'' | '\\' | ']'))
        .map(|letter| if letter == '=' { ':' } else { letter.to_ascii_lowercase() })
        .collect();
    OPENS.iter().any(|said| {
        plain.match_indices(said).any(|(at, _)| {
            let ends =
                |letter: Option<char>| letter.is_none_or(|it| !it.is_alphanumeric() && it != '_');
            // `employmentStatus` is one too.
            (said.starts_with("status:")
                || ends(plain.get(..at).and_then(|before| before.chars().next_back())))
                && ends(plain.get(at + said.len()..).and_then(|rest| rest.chars().next()))
        })
    })
}
