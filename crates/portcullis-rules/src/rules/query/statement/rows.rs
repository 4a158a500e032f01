//! Statements about rows. Owns whether all of a table's rows are meant or some, and where rows go.

use portcullis_syntax::sql::{Token, TokenKind};

use super::{
    super::{
        FILE,
        condition::always,
        narrow::{is_passing, names_rows},
        reach::ELSEWHERE,
    },
    Found,
    made::Made,
    verb::{Verb, text_of},
};
use crate::bound::Bounded;

/// `MERGE … THEN DELETE`, `INSERT … DO UPDATE`: the rows that were matched, unless that is every one.
pub(super) fn merged(verb: Verb<'_>, first: &str) -> &'static str {
    let words = verb.words;
    let position = |wanted: &str| words.iter().position(|word| *word == wanted);
    let branch = words.get(..verb.at).unwrap_or_default();
    let branch = branch.iter().rposition(|word| *word == "WHEN").and_then(|at| branch.get(at..));
    // `WHEN NOT MATCHED BY SOURCE THEN DELETE`: whatever the other table does not have.
    let is_rest = branch.is_some_and(|it| it.contains(&"SOURCE") && !it.contains(&"AND"));
    let into = if words.get(1) == Some(&"INTO") { 2 } else { 1 };
    // SQL Server's own table of the session; read as MySQL, which has no `MERGE`, nothing is named.
    if first == "MERGE" && matches!(words.get(into), Some(&("#" | "WHEN" | "USING" | "ON"))) {
        return "query.change";
    }
    let is_always = first == "MERGE"
        && (is_rest
            || position("ON").zip(position("WHEN")).is_some_and(|(on, when)| {
                always(
                    verb.statement.get(on + 1..when).unwrap_or_default(),
                    verb.statement.get(..on).unwrap_or_default(),
                )
            }));
    // `WHEN MATCHED AND t.id = 7 THEN DELETE`
    let says_which = || {
        let when = position("WHEN").unwrap_or(words.len());
        let and = words.get(when..verb.at).and_then(|it| it.iter().position(|it| *it == "AND"));
        let condition = and.and_then(|and| verb.statement.get(when + and + 1..verb.at - 1));
        condition.is_some_and(names_rows)
    };
    match (is_always, verb.word(0)) {
        (false, "DELETE") if first == "MERGE" && !says_which() => "query.delete.many",
        (false, "UPDATE") if first == "MERGE" && counts_amounts(verb) && !says_which() => {
            "query.update.many"
        }
        (false, _) => "query.change",
        (true, "DELETE") => "query.delete.all",
        (true, _) => "query.update.all",
    }
}

/// Whether rows of the table at `at` say who did what.
pub(super) fn is_audit(verb: Verb<'_>, at: usize) -> bool {
    let mut last = at;
    // `app.audit_log`
    while verb.word(last + 1) == "." {
        last += 2;
    }
    verb.name(last)
        .to_ascii_lowercase()
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .any(|part| matches!(part, "audit" | "audits" | "auditlog" | "audittrail"))
}

/// Columns that say where money goes, in capitals and without `_`.
const PAYEES: &[&str] = &[
    "ACCOUNTIBAN",
    "BANKACCOUNT",
    "BANKACCOUNTID",
    "BANKACCOUNTNUMBER",
    "BANKROUTINGNUMBER",
    "BENEFICIARYACCOUNT",
    "IBAN",
    "PAYEEACCOUNT",
    "PAYOUTACCOUNT",
    "PAYOUTADDRESS",
    "PAYOUTEMAIL",
    "PAYPALEMAIL",
    "ROUTINGNUMBER",
    "SORTCODE",
];

/// Columns that say what an account may do, in capitals and without `_`, and the values that mean everything.
const RIGHTS: &[&str] = &[
    "ACCESSLEVEL",
    "GROUPNAME",
    "PERMISSIONS",
    "ROLE",
    "ROLENAME",
    "ROLES",
    "USERROLE",
    "USERTYPE",
];
const EVERYTHING: &[&str] = &[
    "ADMIN",
    "ADMINISTRATOR",
    "OWNER",
    "ROOT",
    "SUPERADMIN",
    "SUPERUSER",
    "SUPER_ADMIN",
    "SYSADMIN",
];

/// Columns that are an account's rights by themselves.
const FLAGS: &[&str] = &[
    "ADMIN",
    "ISADMIN",
    "ISADMINISTRATOR",
    "ISOWNER",
    "ISROOT",
    "ISSTAFF",
    "ISSUPERADMIN",
    "ISSUPERUSER",
    "SUPERUSER",
];

/// Columns by which an account proves who it is.
const PROOFS: &[&str] = &[
    "ENCRYPTEDPASSWORD",
    "HASHEDPASSWORD",
    "PASSWD",
    "PASSWORD",
    "PASSWORDDIGEST",
    "PASSWORDHASH",
    "PWHASH",
];

/// What the tables of accounts are called by.
const ACCOUNTS: &[&str] =
    &["account", "admin", "login", "member", "operator", "person", "staff", "user"];

/// `UPDATE users SET role = 'admin'`, `… SET password_hash = '…'`, `… SET mfa_enabled = false`: an account may more, or is entered in another way.
pub(super) fn raises_account(verb: Verb<'_>, table: usize) -> bool {
    let name: String = (table..table + 4)
        .map(|at| verb.name(at).to_ascii_lowercase())
        .take_while(|name| name != "set")
        .collect();
    ACCOUNTS.iter().any(|account| name.contains(account))
        && assigned(verb.statement.get(verb.at..).unwrap_or_default()).any(|(column, value)| {
            let column = column.text.replace('_', "").to_ascii_uppercase();
            let value = value.text.trim_matches('\'').to_ascii_uppercase();
            let is_on = matches!(&*value, "TRUE" | "T" | "1" | "Y" | "YES");
            let is_nothing = matches!(&*value, "NULL" | "" | "FALSE" | "F" | "0" | "N" | "NO");
            let is_second = ["MFA", "OTP", "TWOFACTOR", "2FA"].iter().any(|it| column.contains(it));
            FLAGS.contains(&column.as_str()) && is_on
                || RIGHTS.contains(&column.as_str()) && EVERYTHING.contains(&value.as_str())
                || PROOFS.contains(&column.as_str()) && !is_nothing
                || is_second && is_nothing
        })
}

/// Columns in which an audit says that it was looked at, sent on or put away, in capitals; the others say who did what, and when.
const KEPT_BOOK: &[&str] =
    &["ARCHIVED", "EXPORTED", "PROCESSED", "REVIEWED", "SENT", "STATE", "STATUS", "SYNCED"];

/// Whether an `UPDATE` changes what an audit says, and not only how far it was worked through.
pub(super) fn changes_history(update: &[Token]) -> bool {
    assigned(update).any(|(column, _)| {
        let name = column.text.to_ascii_uppercase();
        let first = name.split('_').next().unwrap_or(&name);
        KEPT_BOOK.binary_search(&first).is_err()
    })
}

/// `UPDATE … SET iban = …`: another one gets the money from now on. Nobody does where the column is emptied.
pub(super) fn sets_payee(update: &[Token]) -> bool {
    assigned(update).any(|(column, value)| {
        let name = column.text.replace('_', "").to_ascii_uppercase();
        let is_emptied = value.text.is_empty() || value.text.eq_ignore_ascii_case("NULL");
        PAYEES.binary_search(&name.as_str()).is_ok() && !is_emptied
    })
}

/// What stands on both sides of each `=` between `SET` and `WHERE`.
fn assigned(update: &[Token]) -> impl Iterator<Item = (&Token, &Token)> {
    let is = |token: &Token, text: &str| token.text.eq_ignore_ascii_case(text);
    let set = update.iter().position(|token| is(token, "SET")).unwrap_or(update.len());
    let end = update.iter().position(|token| is(token, "WHERE")).unwrap_or(update.len());
    update.get(set..end).unwrap_or_default().windows(3).filter_map(move |three| match three {
        [column, sign, value] if is(sign, "=") => Some((column, value)),
        _ => None,
    })
}

/// Words of columns that say how much somebody has, pays or gets, in capitals, sorted.
const AMOUNTS: &[&str] = &[
    "AMOUNT",
    "BALANCE",
    "BONUS",
    "COMMISSION",
    "COST",
    "CREDIT",
    "CREDITS",
    "DISCOUNT",
    "FEE",
    "LIMIT",
    "POINTS",
    "PRICE",
    "QUOTA",
    "RATE",
    "SALARY",
    "WAGE",
];

/// Whether an `UPDATE` sets what somebody has, pays or gets.
pub(super) fn sets_amounts(update: &[Token]) -> bool {
    assigned(update).any(|(column, _)| {
        column.text.to_ascii_uppercase().split('_').any(|word| AMOUNTS.binary_search(&word).is_ok())
    })
}

/// `SET salary = salary * 1.1`: an amount made more or less by what it was.
fn counts_amounts(verb: Verb<'_>) -> bool {
    let rest = verb.statement.get(verb.at..).unwrap_or_default();
    rest.array_windows().any(|[column, equals, value]| {
        let is_amount = column
            .text
            .to_ascii_uppercase()
            .split('_')
            .any(|word| AMOUNTS.binary_search(&word).is_ok());
        is_amount && &*equals.text == "=" && value.kind == TokenKind::Word
    }) && rest.iter().any(|token| matches!(&*token.text, "*" | "/" | "+" | "-"))
}

/// `INSERT OR REPLACE INTO a SELECT … FROM b`: rows take the place of others by a key, as many as there are.
fn replaces_many(verb: Verb<'_>) -> bool {
    let replaces = verb.word(0) == "REPLACE" || verb.word(1) == "OR" && verb.word(2) == "REPLACE";
    let select = verb.words.iter().skip(verb.at).position(|word| *word == "SELECT");
    replaces
        && verb.has("FROM")
        && select.is_some_and(|select| !chosen(verb.statement, verb.words, verb.at + select))
}

pub(super) fn insert(verb: Verb<'_>, made: &Made, found: &mut Found) {
    let into = verb
        .skip(1, &["INTO", "TABLE", "FUNCTION", "OVERWRITE", "LOCAL", "IGNORE", "OR", "REPLACE"]);
    match verb.word(into) {
        "DIRECTORY" => {
            found.push((FILE, text_of(verb.token(into + 1)).unwrap_or_default().to_owned()));
        }
        "FILE" if verb.has("FUNCTION") => found.push((FILE, verb.text().to_owned())),
        function if verb.has("FUNCTION") && ELSEWHERE.binary_search(&function).is_ok() => {
            found.push(("query.export", String::new()));
        }
        // Every row takes another's place.
        table if replaces_itself(verb, table) => {
            found.push(("query.update.all", verb.name(into)));
        }
        _ if made.is_temporary(verb, into) => {
            found.push(("query.change", verb.name(into)));
        }
        _ if replaces_many(verb) && !is_passing(&verb.name(into)) => {
            found.push(("query.update.many", verb.name(into)));
        }
        _ if verb.word(1) == "OVERWRITE" && !verb.has("PARTITION") => {
            found.push(("query.delete.all", verb.name(into)));
        }
        _ => found.push(("query.change", verb.name(into))),
    }
}

/// `INSERT OR REPLACE INTO a SELECT … FROM a`, `INSERT INTO a SELECT … FROM a ON CONFLICT (id) DO UPDATE …`, without anything that chooses
/// rows.
fn replaces_itself(verb: Verb<'_>, table: &str) -> bool {
    let replaces = verb.word(0) == "REPLACE"
        || verb.word(1) == "OR" && verb.word(2) == "REPLACE"
        || verb.has("UPDATE") && (verb.has("DUPLICATE") || verb.has("CONFLICT"));
    let rest = || verb.words.iter().skip(verb.at);
    replaces
        && !table.is_empty()
        && rest().zip(rest().skip(1)).any(|(word, next)| *word == "FROM" && *next == table)
        && !["WHERE", "LIMIT", "JOIN", "HAVING"].iter().any(|word| verb.has(word))
}

/// From how many rows on a limit is none.
const MANY: f64 = 10_000.0;

/// The share of the rows that is all of them.
const ALL: f64 = 100.0;

/// Words that begin another statement where nothing divides it from the one before.
const NEXT: &[&str] = &[
    "COMMIT",
    "DECLARE",
    "DELETE",
    "END",
    "EXEC",
    "IF",
    "INSERT",
    "LIMIT",
    "MERGE",
    "ORDER",
    "PRINT",
    "RETURNING",
    "ROLLBACK",
    "SELECT",
    "SET",
    "SETTINGS",
    "UPDATE",
    "WHEN",
];

/// Whether what is deleted from `at` on is said row by row, or is of a kind that is there to go.
pub(super) fn chosen(statement: &[Token], words: &[&str], at: usize) -> bool {
    let mut depth = 0_usize;
    let mut condition = None;
    let mut end = words.len();
    let mut few = None;
    for (index, word) in words.iter().enumerate().skip(at + 1) {
        match *word {
            "(" => depth += 1,
            ")" if depth == 0 => {
                end = index;
                break;
            }
            ")" => depth -= 1,
            "LIMIT" | "TOP" if depth == 0 && few.is_none() => {
                let mut rest = statement.iter().skip(index + 1).leading(2);
                let number = rest.find(|token| token.kind == TokenKind::Number);
                let share = words.iter().skip(index + 1).leading(4).any(|word| *word == "PERCENT");
                few = number.and_then(|number| number.text.parse::<f64>().ok()).filter(|_| !share);
                if condition.is_some() {
                    end = index;
                    break;
                }
            }
            "WHERE" if depth == 0 && condition.is_none() => condition = Some(index + 1),
            word if depth == 0 && condition.is_some() && NEXT.contains(&word) => {
                end = index;
                break;
            }
            _ => {}
        }
    }
    few.is_some_and(|few| few <= FEW)
        || condition.and_then(|start| statement.get(start..end)).is_some_and(names_rows)
}

/// Up to how many rows are few.
const FEW: f64 = 100.0;

/// Whether a `WHERE` (or `LIMIT`) behind `at`, in the same parentheses, holds for some rows only.
pub(super) fn limited(statement: &[Token], words: &[&str], at: usize) -> bool {
    let mut depth = 0_usize;
    for (index, word) in words.iter().enumerate().skip(at) {
        match *word {
            "(" => depth += 1,
            ")" if depth == 0 => return false,
            ")" => depth -= 1,
            "WHERE" if depth == 0 => {
                // What `WITH` names stands before the verb.
                let from = if words.first() == Some(&"WITH") { 0 } else { at };
                return !always(
                    statement.get(index + 1..).unwrap_or_default(),
                    statement.get(from..index).unwrap_or_default(),
                );
            }
            "LIMIT" | "TOP" if depth == 0 => {
                if words.get(index + 1) == Some(&"ALL") {
                    return false;
                }
                let mut rest = statement.iter().skip(index + 1).leading(2);
                let most = rest.find(|token| token.kind == TokenKind::Number);
                let most = most.and_then(|most| most.text.parse::<f64>().ok());
                let is_share =
                    words.iter().skip(index + 1).leading(4).any(|word| *word == "PERCENT");
                return most.is_none_or(|most| most < if is_share { ALL } else { MANY });
            }
            _ => {}
        }
    }
    false
}
