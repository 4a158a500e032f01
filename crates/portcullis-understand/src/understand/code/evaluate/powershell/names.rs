//! What the verb and the noun of a command say that no row knows. Owns the words; what is done about them is the caller's.

/// What they say.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Said {
    /// It only looks.
    Looks,
    /// It gives passwords and keys.
    Secret,
    /// What this rule speaks of.
    Noted(&'static str),
    /// Nothing that is known.
    Nothing,
}

const ACCOUNT: &str = "windows.account.change";
const CHANGE: &str = "windows.cmdlet.change";
const DISK: &str = "code.powershell.disk";
const GUARD: &str = "code.powershell.guard";
const REMOTE: &str = "windows.remote.command";
const REMOVE: &str = "windows.cmdlet.remove";
const STARTS: &str = "windows.persistence.task";

pub(super) fn said_by(verb: &str, noun: &str) -> Said {
    if SECRETS.iter().any(|part| noun.contains(part)) && !matches!(verb, "find" | "test") {
        return Said::Secret;
    }
    if LOOKS.binary_search(&verb).is_ok() {
        return Said::Looks;
    }
    if OWN.binary_search(&noun).is_ok() {
        return Said::Nothing;
    }
    let takes_away = TAKES_AWAY.binary_search(&verb).is_ok();
    if let Some((_, rule)) = NOUNS.iter().find(|(start, _)| noun.starts_with(start)) {
        let opens =
            matches!(verb, "connect" | "disconnect" | "import" | "install" | "use" | "wait");
        return match (opens, takes_away, *rule) {
            (true, ..) => Said::Looks,
            (_, true, CHANGE) => Said::Noted(REMOVE),
            (.., rule) => Said::Noted(rule),
        };
    }
    if takes_away { Said::Noted(REMOVE) } else { Said::Nothing }
}

/// Nouns that name passwords and keys, wherever in the noun they stand.
const SECRETS: &[&str] = &[
    "adreplaccount",
    "addbaccount",
    "admpwdpassword",
    "azkeyvaultsecret",
    "bootkey",
    "browserpassword",
    "cachedcredential",
    "dpapi",
    "keyvaultsecret",
    "lapsadpassword",
    "lsasecret",
    "mimikatz",
    "saveddpapi",
    "storedcredential",
    "vaultcredential",
    "webcredential",
    "wlanprofilekey",
    "secsecretvalue",
    "ssmparametervalue",
];

/// Nouns, by how they begin, of which any change is one of the machine, the directory or a service. Longer ones stand first.
static NOUNS: &[(&str, &str)] = &[
    ("adaccount", ACCOUNT),
    ("adcomputer", ACCOUNT),
    ("addefaultdomain", ACCOUNT),
    ("adfinegrained", ACCOUNT),
    ("adforest", ACCOUNT),
    ("adgroup", ACCOUNT),
    ("adobject", ACCOUNT),
    ("adorganizationalunit", ACCOUNT),
    ("adprincipal", ACCOUNT),
    ("adserviceaccount", ACCOUNT),
    ("aduser", ACCOUNT),
    ("azuread", ACCOUNT),
    ("azadserviceprincipal", ACCOUNT),
    ("azroleassignment", ACCOUNT),
    ("azroledefinition", ACCOUNT),
    ("az", CHANGE),
    ("entra", ACCOUNT),
    ("mguser", ACCOUNT),
    ("mggroup", ACCOUNT),
    ("mgdirectoryrole", ACCOUNT),
    ("mgserviceprincipal", ACCOUNT),
    ("mgapplication", ACCOUNT),
    ("mgrolemanagement", ACCOUNT),
    ("mg", CHANGE),
    ("msol", ACCOUNT),
    ("iam", ACCOUNT),
    ("unifiedgrouplinks", ACCOUNT),
    ("rolegroup", ACCOUNT),
    ("managementrole", ACCOUNT),
    ("localuser", ACCOUNT),
    ("localgroup", ACCOUNT),
    ("computermachinepassword", ACCOUNT),
    ("gppermission", ACCOUNT),
    ("gpo", CHANGE),
    ("gplink", CHANGE),
    ("gpregistryvalue", CHANGE),
    ("mailbox", CHANGE),
    ("casmailbox", CHANGE),
    ("inboxrule", CHANGE),
    ("transportrule", CHANGE),
    ("transportconfig", CHANGE),
    ("journalrule", CHANGE),
    ("recipientpermission", CHANGE),
    ("distributiongroup", CHANGE),
    ("inboundconnector", CHANGE),
    ("outboundconnector", CHANGE),
    ("compliancesearchaction", REMOVE),
    ("adminauditlog", GUARD),
    ("antiphish", GUARD),
    ("malwarefilter", GUARD),
    ("organizationconfig", CHANGE),
    ("spo", CHANGE),
    ("pnp", CHANGE),
    ("team", CHANGE),
    ("cs", CHANGE),
    ("ec2", CHANGE),
    ("s3bucket", CHANGE),
    ("s3object", CHANGE),
    ("s3", CHANGE),
    ("rds", CHANGE),
    ("lm", CHANGE),
    ("r53", CHANGE),
    ("ecs", CHANGE),
    ("eks", CHANGE),
    ("ddb", CHANGE),
    ("cfn", CHANGE),
    ("kms", CHANGE),
    ("sns", CHANGE),
    ("sqs", CHANGE),
    ("ct", GUARD),
    ("gcs", CHANGE),
    ("gce", CHANGE),
    ("gcsql", CHANGE),
    ("vmsnapshot", CHANGE),
    ("vmhost", CHANGE),
    ("vm", CHANGE),
    ("vhd", CHANGE),
    ("cluster", CHANGE),
    ("dnsserver", CHANGE),
    ("dnsclientserveraddress", CHANGE),
    ("dhcpserver", CHANGE),
    ("smbshare", "windows.permission.wide"),
    ("smb", CHANGE),
    ("netipaddress", CHANGE),
    ("netipinterface", CHANGE),
    ("netroute", CHANGE),
    ("netadapter", CHANGE),
    ("netfirewall", GUARD),
    ("netipsec", GUARD),
    ("mppreference", GUARD),
    ("mpthreat", GUARD),
    ("bitlocker", GUARD),
    ("processmitigation", GUARD),
    ("applocker", GUARD),
    ("cipolicy", GUARD),
    ("authenticodesignature", CHANGE),
    ("eventlog", GUARD),
    ("executionpolicy", GUARD),
    ("logproperties", GUARD),
    ("auditpolicy", GUARD),
    ("etwtrace", GUARD),
    ("computerrestore", GUARD),
    ("psremoting", REMOTE),
    ("pssessionconfiguration", REMOTE),
    ("wsman", REMOTE),
    ("winrm", REMOTE),
    ("service", CHANGE),
    ("scheduledtask", STARTS),
    ("scheduledjob", STARTS),
    ("wmievent", STARTS),
    ("cimindicationevent", STARTS),
    ("windowsoptionalfeature", CHANGE),
    ("windowsfeature", CHANGE),
    ("windowscapability", CHANGE),
    ("appxpackage", REMOVE),
    ("appxprovisionedpackage", REMOVE),
    ("partition", DISK),
    ("volume", DISK),
    ("disk", DISK),
    ("physicaldisk", DISK),
    ("virtualdisk", DISK),
    ("storagepool", DISK),
    ("storage", DISK),
    ("printer", CHANGE),
    ("computer", CHANGE),
    ("timezone", CHANGE),
    ("date", CHANGE),
    ("iis", CHANGE),
    ("webbinding", CHANGE),
    ("website", CHANGE),
    ("webapppool", CHANGE),
    ("webconfiguration", CHANGE),
    ("dscconfiguration", CHANGE),
    ("sqldatabase", CHANGE),
    ("dbadatabase", CHANGE),
    ("dba", CHANGE),
    ("certificate", CHANGE),
    ("pfxcertificate", "windows.secrets.read"),
    ("acl", "windows.permission.wide"),
];

/// Nouns of commands that only concern the session itself or the screen, in lower case and sorted.
static OWN: &[&str] = &[
    "alias",
    "azconfig",
    "azcontext",
    "azdefault",
    "azsubscription",
    "breakpoint",
    "content",
    "event",
    "eventsubscriber",
    "history",
    "host",
    "item",
    "itemproperty",
    "job",
    "location",
    "module",
    "object",
    "package",
    "packagesource",
    "process",
    "psbreakpoint",
    "psdebug",
    "psdrive",
    "psreadlinekeyhandler",
    "psreadlineoption",
    "psrepository",
    "pssession",
    "scheduledjobs",
    "strictmode",
    "tracesource",
    "transcript",
    "typedata",
    "variable",
    "winevent",
];

/// Verbs of commands that take something away, sorted.
static TAKES_AWAY: &[&str] = &[
    "block",
    "clear",
    "disable",
    "dismount",
    "format",
    "remove",
    "reset",
    "revoke",
    "stop",
    "suspend",
    "uninstall",
    "unregister",
];

/// Verbs of commands that change nothing, sorted.
static LOOKS: &[&str] = &[
    "assert",
    "compare",
    "confirm",
    "convertfrom",
    "convertto",
    "debug",
    "enter",
    "exit",
    "find",
    "get",
    "group",
    "join",
    "measure",
    "out",
    "ping",
    "read",
    "resolve",
    "search",
    "select",
    "should",
    "show",
    "skip",
    "sort",
    "split",
    "test",
    "trace",
    "wait",
    "watch",
    "where",
    "write",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(LOOKS.is_sorted() && OWN.is_sorted() && TAKES_AWAY.is_sorted());
    }

    #[test]
    fn a_command_is_judged_by_its_words() {
        for (verb, noun, expected) in [
            ("get", "azvm", Said::Looks),
            ("remove", "azvm", Said::Noted(REMOVE)),
            ("set", "mailbox", Said::Noted(CHANGE)),
            ("new", "aduser", Said::Noted(ACCOUNT)),
            ("remove", "widget", Said::Noted(REMOVE)),
            ("set", "azcontext", Said::Nothing),
            ("invoke", "pester", Said::Nothing),
        ] {
            assert_eq!(said_by(verb, noun), expected, "{verb}-{noun}");
        }
    }
}
