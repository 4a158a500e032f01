//! What the rows that a statement gives show: how accounts prove who they are, and what proves or pays for the people in them.

use portcullis_syntax::sql::{Token, TokenKind};

/// Tables in which a server keeps how its accounts prove who they are, sorted.
const OF_ACCOUNTS: &[&str] = &["PG_AUTHID", "PG_SHADOW", "SQL_LOGINS", "SYSLOGINS", "USER$"];

/// Their columns that do.
const HASHES: &[&str] =
    &["AUTHENTICATION_STRING", "PASSWD", "PASSWORD", "PASSWORD_HASH", "ROLPASSWORD", "SPARE4"];

/// Whether a statement reads the password hashes of a server's accounts.
pub(super) fn takes_hashes(statement: &[Token], words: &[&str]) -> bool {
    let reads = matches!(
        words.first(),
        Some(&"SELECT" | &"WITH" | &"TABLE" | &"COPY" | &"CREATE" | &"INSERT")
    );
    let names = || {
        let named = |token: &&Token| matches!(token.kind, TokenKind::Word | TokenKind::Name);
        statement.iter().filter(named).map(|token| token.text.to_ascii_uppercase())
    };
    let of_mysql =
        || names().zip(names().skip(1)).any(|(schema, table)| schema == "MYSQL" && table == "USER");
    let all = || {
        words
            .array_windows()
            .any(|[before, word]| *word == "*" && matches!(*before, "SELECT" | "." | ","))
    };
    reads
        && (names().any(|name| OF_ACCOUNTS.binary_search(&&*name).is_ok()) || of_mysql())
        && (words.first() == Some(&"TABLE")
            || all()
            || names().any(|name| HASHES.contains(&&*name)))
}

/// Columns that hold what proves who somebody is, or what pays for them, sorted.
const CREDENTIALS: &[&str] = &[
    "ACCESS_TOKEN",
    "API_KEY",
    "API_SECRET",
    "APIKEY",
    "AUTH_TOKEN",
    "CARD_NUMBER",
    "CLIENT_SECRET",
    "CREDIT_CARD",
    "CREDIT_CARD_NUMBER",
    "CVV",
    "DECRYPTED_SECRET",
    "ENCRYPTED_PASSWORD",
    "HASHED_PASSWORD",
    "MFA_SECRET",
    "NATIONAL_ID",
    "OTP_SECRET",
    "PASSPORT_NUMBER",
    "PASSWD",
    "PASSWORD",
    "PASSWORD_DIGEST",
    "PASSWORD_HASH",
    "PASSWORDHASH",
    "PASSWORD_SALT",
    "PASS_HASH",
    "PRIVATE_KEY",
    "PWD_HASH",
    "REFRESH_TOKEN",
    "SECRET_KEY",
    "SESSION_TOKEN",
    "SOCIAL_SECURITY_NUMBER",
    "SSN",
    "TOTP_SECRET",
    "USER_PASS",
];

/// Whether a column is one of [`CREDENTIALS`], or is called so behind a word of its own: `live_secret_key`.
fn is_credential(column: &str) -> bool {
    /// What such a longer name ends with.
    const ENDS: &[&str] = &["_API_KEY", "_PASSWD", "_PASSWORD", "_PRIVATE_KEY", "_SECRET_KEY"];
    let column = column.to_ascii_uppercase();
    CREDENTIALS.contains(&&*column) || ENDS.iter().any(|end| column.ends_with(end))
}

/// Functions that tell nothing of a value but whether and how long it is.
const TELLS_LITTLE: &[&str] =
    &["CHAR_LENGTH", "CHARACTER_LENGTH", "COUNT", "LEN", "LENGTH", "OCTET_LENGTH"];

/// Whether a statement gives the rows of a table with a column of [`CREDENTIALS`] among what it shows.
pub(super) fn takes_credentials(statement: &[Token]) -> bool {
    let is = |token: Option<&Token>, words: &[&str]| {
        token.is_some_and(|token| words.iter().any(|word| token.text.eq_ignore_ascii_case(word)))
    };
    if asks_vault(statement) {
        return true;
    }
    if !is(statement.first(), &["SELECT", "WITH", "COPY", "EXPORT", "CREATE", "INSERT"]) {
        return false;
    }
    // What a table of tokens or sessions calls so is what proves who somebody is.
    let of_tokens = statement.iter().any(|token| {
        let name = token.text.to_ascii_uppercase();
        matches!(token.kind, TokenKind::Word | TokenKind::Name)
            && ["_TOKENS", "_TOKEN", "API_KEYS", "SESSIONS"].iter().any(|end| name.ends_with(end))
    });
    let (mut shows, mut hidden, mut depth) = (false, None, 0_usize);
    let mut taken = false;
    for (index, token) in statement.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| statement.get(before));
        let next = statement.get(index + 1);
        match &*token.text {
            "(" if token.kind == TokenKind::Operator => {
                depth += 1;
                // BigQuery, DuckDB, Snowflake: `SELECT * EXCEPT (ssn)`, `* EXCLUDE (ssn)`.
                let is_left_out = || {
                    let star = index.checked_sub(2).and_then(|at| statement.get(at));
                    is(before, &["EXCEPT", "EXCLUDE"]) && star.is_some_and(|it| &*it.text == "*")
                };
                if hidden.is_none() && (is(before, TELLS_LITTLE) || is_left_out()) {
                    hidden = Some(depth);
                }
            }
            ")" if token.kind == TokenKind::Operator => {
                if hidden == Some(depth) {
                    hidden = None;
                }
                depth = depth.saturating_sub(1);
            }
            word if token.kind == TokenKind::Word && word.eq_ignore_ascii_case("SELECT") => {
                shows = true;
                taken = false;
            }
            word if token.kind == TokenKind::Word && word.eq_ignore_ascii_case("FROM") => {
                if shows && taken {
                    return true;
                }
                shows = false;
            }
            word if shows && hidden.is_none() => {
                let compared = is(next, &["IS", "=", "<>", "!=", "LIKE", "IN", ".", "("]);
                let is_name = matches!(token.kind, TokenKind::Word | TokenKind::Name)
                    && (is_credential(word) || of_tokens && word.eq_ignore_ascii_case("TOKEN"));
                taken |= is_name && !compared && !is(before, &["AS"]);
            }
            _ => {}
        }
    }
    false
}

/// `secret('scope', 'key')` of Databricks, `getenv('AWS_SECRET_ACCESS_KEY')` of DuckDB: what the server or its client keeps apart from the tables.
fn asks_vault(statement: &[Token]) -> bool {
    const SECRET: &[&str] = &["CREDENTIAL", "KEY", "PASSWORD", "PASSWD", "SECRET", "TOKEN"];
    statement.array_windows().any(|[function, open, text]| {
        let is_text = &*open.text == "(" && text.kind == TokenKind::Text;
        let says_secret = || {
            let name = text.text.to_ascii_uppercase();
            name.split('_').any(|word| SECRET.contains(&word))
        };
        is_text
            && match &*function.text {
                "SECRET" | "TRY_SECRET" => true,
                "GETENV" => says_secret(),
                _ => false,
            }
    })
}

/// `INSERT INTO kept VALUES (NEW.email, NEW.password)`: what a trigger puts aside of the rows that come in.
pub(super) fn keeps_credentials(statement: &[Token], words: &[&str]) -> bool {
    let Some(insert) = words.iter().position(|word| *word == "INSERT") else { return false };
    let rest = statement.get(insert..).unwrap_or_default();
    rest.array_windows().any(|[row, dot, column]| {
        let name = column.text.to_ascii_uppercase();
        matches!(&*row.text, "NEW" | ":NEW" | "OLD" | ":OLD")
            && &*dot.text == "."
            && is_credential(&name)
    })
}
