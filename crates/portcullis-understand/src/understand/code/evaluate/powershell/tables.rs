//! The commands of PowerShell whose parameters count. Owns the rows; what a kind of row does stands in the siblings, and
//! commands of which only the name counts in `plain`.

use super::{files::Files, programs::Programs, registry::Registry};

/// A command with its parameters.
#[derive(Debug)]
pub(super) struct Cmdlet {
    /// Its name in lower case.
    pub(super) name: &'static str,
    pub(super) does: Does,
    /// Parameters that are given without a name, in order, with blanks between them.
    pub(super) positional: &'static str,
    /// Other parameters that take a value.
    pub(super) values: &'static str,
    /// Parameters that take none.
    pub(super) switches: &'static str,
}

/// What a command does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Does {
    /// It changes nothing and shows something.
    Looks,
    /// It gives what comes in.
    Passes,
    /// It gives nothing that counts.
    Nothing,
    /// It gives what it is given.
    Output,
    /// What this rule speaks of.
    Noted(&'static str),
    /// Something with files.
    Files(Files),
    /// Something with programs, code, or other machines.
    Programs(Programs),
    /// Something with the registry.
    Registry(Registry),
}

const fn row(
    name: &'static str,
    does: Does,
    positional: &'static str,
    values: &'static str,
    switches: &'static str,
) -> Cmdlet {
    Cmdlet { name, does, positional, values, switches }
}

/// The row of a command.
pub(super) fn cmdlet(name: &str) -> Option<&'static Cmdlet> {
    let at = CMDLETS.binary_search_by(|row| row.name.cmp(name)).ok()?;
    CMDLETS.get(at)
}

/// The parameters of a command that has no row of its own.
pub(super) static PLAIN: Cmdlet = row(
    "a cmdlet",
    Does::Looks,
    "",
    "action execute filter id inputobject job literalpath name path pattern property scope scriptblock",
    "",
);

/// Commands in lower case, sorted.
static CMDLETS: &[Cmdlet] = &[
    row(
        "add-content",
        Does::Files(Files::Append),
        "path value",
        "literalpath encoding filter include exclude stream",
        "nonewline",
    ),
    row(
        "add-member",
        Does::Passes,
        "membertype name value",
        "inputobject notepropertyname notepropertyvalue typename",
        "",
    ),
    row(
        "add-type",
        Does::Programs(Programs::Type),
        "typedefinition",
        "name namespace memberdefinition language referencedassemblies assemblyname path literalpath outputassembly outputtype usingnamespace",
        "",
    ),
    row(
        "clear-content",
        Does::Files(Files::Empty),
        "path",
        "literalpath filter include exclude stream",
        "",
    ),
    row("clear-item", Does::Files(Files::Empty), "path", "literalpath filter include exclude", ""),
    row("clear-itemproperty", Does::Registry(Registry::Remove), "path name", "literalpath", ""),
    row(
        "compress-archive",
        Does::Files(Files::Pack),
        "path destination",
        "literalpath compressionlevel",
        "update",
    ),
    row("convert-path", Does::Files(Files::Same), "path", "literalpath", ""),
    row(
        "convertfrom-securestring",
        Does::Programs(Programs::Secure),
        "inputobject",
        "securestring key",
        "asplaintext",
    ),
    row(
        "convertto-securestring",
        Does::Passes,
        "inputobject",
        "string key securekey",
        "asplaintext",
    ),
    row(
        "copy-item",
        Does::Files(Files::Copy),
        "path destination",
        "literalpath filter include exclude credential tosession fromsession",
        "container",
    ),
    row("expand-archive", Does::Files(Files::Unpack), "path destination", "literalpath", ""),
    row(
        "export-clixml",
        Does::Files(Files::Write),
        "path",
        "literalpath inputobject depth encoding",
        "",
    ),
    row(
        "export-csv",
        Does::Files(Files::Write),
        "path delimiter",
        "literalpath inputobject encoding",
        "append notypeinformation noclobber",
    ),
    row(
        "foreach-object",
        Does::Programs(Programs::Each),
        "process",
        "begin end membername argumentlist inputobject parallel throttlelimit remainingscripts",
        "",
    ),
    row(
        "get-childitem",
        Does::Files(Files::List),
        "path filter",
        "literalpath include exclude depth attributes",
        "name directory file hidden readonly system followsymlink",
    ),
    row(
        "get-ciminstance",
        Does::Programs(Programs::Instances),
        "classname",
        "query filter namespace computername property cimsession keyonly",
        "",
    ),
    row("get-clipboard", Does::Programs(Programs::Private), "", "format", ""),
    row(
        "get-content",
        Does::Files(Files::Read),
        "path",
        "literalpath totalcount head first tail last encoding delimiter readcount filter include exclude stream",
        "raw wait asbytestream",
    ),
    row(
        "get-credential",
        Does::Programs(Programs::Credential),
        "credential",
        "username message title",
        "",
    ),
    row(
        "get-item",
        Does::Files(Files::Same),
        "path",
        "literalpath filter include exclude stream",
        "",
    ),
    row("get-itemproperty", Does::Registry(Registry::Get), "path name", "literalpath filter", ""),
    row(
        "get-process",
        Does::Programs(Programs::Processes),
        "name",
        "id processname computername inputobject",
        "includeusername module fileversioninfo",
    ),
    row(
        "get-variable",
        Does::Programs(Programs::Variable),
        "name",
        "scope include exclude",
        "valueonly",
    ),
    row(
        "get-wmiobject",
        Does::Programs(Programs::Instances),
        "class",
        "query filter namespace computername property credential",
        "list",
    ),
    row("import-clixml", Does::Files(Files::Read), "path", "literalpath", ""),
    row(
        "import-csv",
        Does::Files(Files::Read),
        "path delimiter",
        "literalpath encoding header",
        "",
    ),
    row(
        "import-module",
        Does::Programs(Programs::Module),
        "name",
        "assembly function cmdlet variable alias prefix requiredversion minimumversion scope moduleinfo",
        "disablenamechecking global usewindowspowershell",
    ),
    row("import-powershelldatafile", Does::Files(Files::Read), "path", "literalpath", ""),
    row(
        "invoke-cimmethod",
        Does::Programs(Programs::Method),
        "classname methodname",
        "arguments query namespace computername cimsession inputobject ciminstance filter",
        "",
    ),
    row(
        "invoke-command",
        Does::Programs(Programs::Command),
        "computername scriptblock",
        "session filepath argumentlist credential inputobject vmname containerid hostname jobname authentication connectionuri port throttlelimit",
        "asjob nonewscope usessl",
    ),
    row("invoke-expression", Does::Programs(Programs::Expression), "command", "", ""),
    row("invoke-item", Does::Programs(Programs::Open), "path", "literalpath", ""),
    row(
        "invoke-restmethod",
        Does::Programs(Programs::Fetch),
        "uri",
        "outfile method body form infile headers contenttype useragent credential websession sessionvariable timeoutsec proxy maximumredirection authentication token transferencoding certificate custommethod statuscodevariable responseheadersvariable followrellink",
        "usebasicparsing usedefaultcredentials disablekeepalive skipcertificatecheck skiphttperrorcheck",
    ),
    row(
        "invoke-sqlcmd",
        Does::Programs(Programs::Query),
        "query",
        "serverinstance database username password inputfile connectionstring hostname variable querytimeout credential",
        "trustservercertificate encryptconnection",
    ),
    row(
        "invoke-webrequest",
        Does::Programs(Programs::Fetch),
        "uri",
        "outfile method body form infile headers contenttype useragent credential websession sessionvariable timeoutsec proxy maximumredirection authentication token transferencoding certificate custommethod retryintervalsec maximumretrycount proxycredential",
        "usebasicparsing usedefaultcredentials disablekeepalive skipcertificatecheck skiphttperrorcheck allowunencryptedauthentication resume",
    ),
    row(
        "invoke-wmimethod",
        Does::Programs(Programs::Method),
        "classname methodname",
        "class name argumentlist arguments namespace computername path inputobject credential",
        "",
    ),
    row(
        "join-path",
        Does::Files(Files::Join),
        "path childpath additionalchildpath",
        "credential",
        "resolve",
    ),
    row("measure-command", Does::Looks, "", "expression inputobject", ""),
    row("mkdir", Does::Files(Files::Directory), "path", "name value", ""),
    row(
        "move-item",
        Does::Files(Files::Move),
        "path destination",
        "literalpath filter include exclude credential",
        "",
    ),
    row("new-alias", Does::Programs(Programs::Alias), "name value", "description option scope", ""),
    row("new-item", Does::Files(Files::New), "path", "name itemtype value credential", ""),
    row(
        "new-itemproperty",
        Does::Registry(Registry::Set),
        "path name",
        "literalpath value propertytype type",
        "",
    ),
    row(
        "new-object",
        Does::Programs(Programs::Object),
        "typename argumentlist",
        "comobject property",
        "strict",
    ),
    row(
        "new-psdrive",
        Does::Files(Files::Drive),
        "name psprovider root",
        "scope credential description",
        "persist",
    ),
    row(
        "new-scheduledtaskaction",
        Does::Programs(Programs::Action),
        "execute argument workingdirectory",
        "id",
        "",
    ),
    row("new-temporaryfile", Does::Files(Files::Temporary), "", "", ""),
    row(
        "new-variable",
        Does::Programs(Programs::Assign),
        "name value",
        "description option scope visibility",
        "",
    ),
    row(
        "out-file",
        Does::Files(Files::Write),
        "path encoding",
        "literalpath filepath inputobject width",
        "append noclobber nonewline",
    ),
    row("out-null", Does::Nothing, "", "inputobject", ""),
    row("out-string", Does::Passes, "", "inputobject width", "stream"),
    row("pop-location", Does::Nothing, "", "stackname", ""),
    row("push-location", Does::Files(Files::Go), "path", "literalpath stackname", ""),
    row(
        "remove-item",
        Does::Files(Files::Remove),
        "path",
        "literalpath filter include exclude credential stream",
        "",
    ),
    row("remove-itemproperty", Does::Registry(Registry::Remove), "path name", "literalpath", ""),
    row("rename-item", Does::Files(Files::Rename), "path newname", "literalpath credential", ""),
    row(
        "rename-itemproperty",
        Does::Registry(Registry::Set),
        "path name newname",
        "literalpath",
        "",
    ),
    row("resolve-path", Does::Files(Files::Same), "path", "literalpath", "relative"),
    row(
        "select-object",
        Does::Programs(Programs::Select),
        "property",
        "inputobject expandproperty excludeproperty first last skip index skiplast",
        "unique wait",
    ),
    row(
        "send-mailmessage",
        Does::Programs(Programs::Mail),
        "to subject body smtpserver",
        "from attachments cc bcc credential port encoding priority deliverynotificationoption replyto",
        "usessl bodyashtml",
    ),
    row("set-acl", Does::Files(Files::Permit), "path aclobject", "literalpath filter", ""),
    row("set-alias", Does::Programs(Programs::Alias), "name value", "description option scope", ""),
    row(
        "set-content",
        Does::Files(Files::Write),
        "path value",
        "literalpath encoding filter include exclude stream credential",
        "nonewline asbytestream",
    ),
    row("set-executionpolicy", Does::Programs(Programs::Policy), "executionpolicy scope", "", ""),
    row("set-item", Does::Registry(Registry::Item), "path value", "literalpath filter", ""),
    row(
        "set-itemproperty",
        Does::Registry(Registry::Set),
        "path name value",
        "literalpath type propertytype inputobject",
        "",
    ),
    row("set-location", Does::Files(Files::Go), "path", "literalpath stackname", ""),
    row(
        "set-variable",
        Does::Programs(Programs::Assign),
        "name value",
        "description option scope visibility",
        "",
    ),
    row(
        "sort-object",
        Does::Passes,
        "property",
        "inputobject culture top",
        "descending unique casesensitive stable",
    ),
    row(
        "split-path",
        Does::Files(Files::Split),
        "path",
        "literalpath",
        "leaf parent leafbase extension qualifier noqualifier isabsolute resolve",
    ),
    row(
        "start-bitstransfer",
        Does::Programs(Programs::Transfer),
        "source destination",
        "displayname description priority credential transfertype proxyusage notifycmdline retryinterval",
        "asynchronous suspended",
    ),
    row(
        "start-job",
        Does::Programs(Programs::Job),
        "scriptblock",
        "filepath literalpath name argumentlist initializationscript inputobject credential workingdirectory definitionname",
        "runas32",
    ),
    row(
        "start-process",
        Does::Programs(Programs::Start),
        "filepath argumentlist",
        "verb windowstyle workingdirectory credential redirectstandardoutput redirectstandarderror redirectstandardinput environment",
        "wait nonewwindow loaduserprofile usenewenvironment",
    ),
    row(
        "start-threadjob",
        Does::Programs(Programs::Job),
        "scriptblock",
        "filepath name argumentlist initializationscript inputobject throttlelimit",
        "",
    ),
    row("stop-process", Does::Programs(Programs::Stop), "id", "name inputobject processname", ""),
    row(
        "tee-object",
        Does::Files(Files::Tee),
        "path",
        "filepath literalpath inputobject variable",
        "append",
    ),
    row(
        "where-object",
        Does::Programs(Programs::Where),
        "property value",
        "filterscript inputobject",
        "eq ne like notlike match notmatch gt lt ge le contains in is not ceq cne notin",
    ),
    row(
        "write-debug",
        Does::Output,
        "object",
        "message foregroundcolor backgroundcolor separator category messagedata tags errorid",
        "nonewline",
    ),
    row(
        "write-error",
        Does::Output,
        "object",
        "message foregroundcolor backgroundcolor separator category messagedata tags errorid",
        "nonewline",
    ),
    row(
        "write-host",
        Does::Output,
        "object",
        "message foregroundcolor backgroundcolor separator category messagedata tags errorid",
        "nonewline",
    ),
    row(
        "write-information",
        Does::Output,
        "object",
        "message foregroundcolor backgroundcolor separator category messagedata tags errorid",
        "nonewline",
    ),
    row("write-output", Does::Output, "inputobject", "", "noenumerate"),
    row(
        "write-verbose",
        Does::Output,
        "object",
        "message foregroundcolor backgroundcolor separator category messagedata tags errorid",
        "nonewline",
    ),
    row(
        "write-warning",
        Does::Output,
        "object",
        "message foregroundcolor backgroundcolor separator category messagedata tags errorid",
        "nonewline",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted() {
        assert!(CMDLETS.is_sorted_by_key(|row| row.name));
    }
}
