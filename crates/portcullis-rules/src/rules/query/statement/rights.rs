//! Statements that give rights. Owns which rights are as good as the server, who everybody is, and where accounts are kept.

use portcullis_syntax::sql::Token;

use super::verb::Verb;

/// Whether a right to rows is given to everybody: `TO PUBLIC`, `TO ROLE PUBLIC`, and BigQuery's names for anybody at all.
pub(super) fn is_for_everybody(verb: Verb<'_>) -> bool {
    let rest = || verb.words.iter().skip(verb.at);
    let to_public = rest()
        .zip(rest().skip(1))
        .any(|(before, word)| *word == "PUBLIC" && matches!(*before, "TO" | "ROLE" | "GROUP"));
    let of_rows =
        ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE"].iter().any(|right| verb.has(right));
    let anybody = |token: &Token| {
        let name = token.text.to_ascii_lowercase();
        let name = name.strip_prefix("specialgroup:").unwrap_or(&name);
        matches!(
            name,
            "account users" | "all users" | "allauthenticatedusers" | "allusers" | "everyone"
        )
    };
    to_public && of_rows || verb.has("TO") && verb.statement.iter().skip(verb.at).any(anybody)
}

/// Whether a statement changes the tables in which the server keeps its accounts.
pub(super) fn holds_accounts(words: &[&str], at: usize) -> bool {
    let named = || words.iter().enumerate().skip(at + 1);
    named().any(|(index, word)| match *word {
        "PG_AUTHID" | "PG_AUTH_MEMBERS" | "PG_SHADOW" | "PG_USER_MAPPING" => true,
        "MYSQL" => {
            words.get(index + 1) == Some(&".")
                && matches!(words.get(index + 2), Some(&"DB" | &"GLOBAL_PRIV" | &"USER"))
        }
        _ => false,
    })
}

/// Whether a statement changes by hand what the server itself is made of: PostgreSQL's catalogs, which `ALTER` changes otherwise.
pub(super) fn is_catalog(name: &str) -> bool {
    const CATALOGS: &[&str] = &[
        "PG_AM",
        "PG_ATTRDEF",
        "PG_ATTRIBUTE",
        "PG_CAST",
        "PG_CLASS",
        "PG_CONSTRAINT",
        "PG_DATABASE",
        "PG_DB_ROLE_SETTING",
        "PG_DEPEND",
        "PG_EVENT_TRIGGER",
        "PG_EXTENSION",
        "PG_INDEX",
        "PG_LANGUAGE",
        "PG_NAMESPACE",
        "PG_OPERATOR",
        "PG_POLICY",
        "PG_PROC",
        "PG_REWRITE",
        "PG_SEQUENCE",
        "PG_SHDEPEND",
        "PG_TABLESPACE",
        "PG_TRIGGER",
        "PG_TYPE",
    ];
    CATALOGS.binary_search(&name.to_ascii_uppercase().as_str()).is_ok()
}

/// Roles and rights that are as good as the server itself.
pub(super) const MIGHTY: &[&str] = &[
    "ACCOUNTADMIN",
    "ADMIN",
    "CLOUDSQLSUPERUSER",
    "CONTROL",
    "DBA",
    "FILE",
    "IMPERSONATE",
    "ORGADMIN",
    "OWNERSHIP",
    "PG_EXECUTE_SERVER_PROGRAM",
    "PG_READ_SERVER_FILES",
    "PG_WRITE_SERVER_FILES",
    "POSTGRES",
    "RDS_SUPERUSER",
    "SECURITYADMIN",
    "SUPER",
    "SUPERUSER",
    "SYSADMIN",
    "SYSDBA",
    "SYSTEM_USER",
];
