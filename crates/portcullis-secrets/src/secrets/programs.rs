//! The programs that take passwords on their command line, and where: in short options, or as a word of their own. Owns the table;
//! `options` walks the words.

/// A short option whose value is, or holds, a password.
pub(super) struct SecretOption {
    /// As written.
    pub(super) option: &'static str,
    /// Whether the value may be joined to it.
    pub(super) attached: bool,
    /// Whether the value may be the next word.
    pub(super) separate: bool,
    /// The byte between a user and the password, where the value holds both.
    pub(super) user_before: Option<u8>,
}

const fn option(option: &'static str, attached: bool, separate: bool) -> SecretOption {
    SecretOption { option, attached, separate, user_before: None }
}

const fn login(option: &'static str, user_before: u8) -> SecretOption {
    SecretOption { option, attached: true, separate: true, user_before: Some(user_before) }
}

/// The options of a program that carry passwords; most specific first.
pub(super) fn secret_options(program: &[u8]) -> &'static [SecretOption] {
    match program {
        b"mysql" | b"mysqldump" | b"mysqladmin" | b"mysqlimport" | b"mysqlshow" | b"mariadb"
        | b"mariadb-dump" | b"mariadb-admin" => const { &[option("-p", true, false)] },
        b"sshpass" => const { &[option("-p", true, true)] },
        b"curl" => {
            const {
                &[
                    login("--user", b':'),
                    login("--proxy-user", b':'),
                    login("-u", b':'),
                    login("-U", b':'),
                    option("--pass", true, true),
                ]
            }
        }
        b"http" | b"https" | b"xh" => const { &[login("--auth", b':'), login("-a", b':')] },
        b"ssh-keygen" => const { &[option("-N", true, true), option("-P", true, true)] },
        b"redis-cli" => const { &[option("-a", true, true)] },
        b"ldapsearch" | b"ldapadd" | b"ldapmodify" | b"ldapdelete" | b"ldappasswd"
        | b"ldapwhoami" => const { &[option("-w", true, true)] },
        b"mongo" | b"mongosh" | b"mongodump" | b"mongorestore" | b"mongoexport"
        | b"mongoimport" => const { &[option("-p", false, true)] },
        b"login" => const { &[option("-p", false, true)] },
        b"smbclient" | b"rpcclient" => const { &[login("-U", b'%')] },
        b"sqlcmd" | b"osql" | b"bcp" | b"zip" | b"unzip" => const { &[option("-P", true, true)] },
        b"7z" | b"7za" | b"7zz" | b"rar" | b"unrar" => const { &[option("-p", true, false)] },
        b"openssl" => {
            const {
                &[
                    login("-passin", b':'),
                    login("-passout", b':'),
                    login("-pass", b':'),
                    option("-k", false, true),
                ]
            }
        }
        b"snmpget" | b"snmpwalk" | b"snmpset" => {
            const { &[option("-A", true, true), option("-X", true, true)] }
        }
        b"lftp" => const { &[login("-u", b','), login("--user", b',')] },
        _ => &[],
    }
}

/// Which word of a command is a password, the program being the first.
pub(super) fn secret_word(words: &[&[u8]]) -> Option<usize> {
    let word = |number: usize| words.get(number).copied().unwrap_or_default();
    let is_switch = |word: &[u8]| word.starts_with(b"/") || word.starts_with(b"-");
    match (word(0), word(1)) {
        (b"net" | b"net.exe", b"user") => Some(3).filter(|at| !is_switch(word(*at))),
        (b"net" | b"net.exe", b"use") => {
            let is_place = |word: &[u8]| word.starts_with(b"\\") || word.ends_with(b":");
            let at = words.iter().skip(2).take_while(|word| is_place(word)).count() + 2;
            Some(at).filter(|at| *at > 2 && !is_switch(word(*at)))
        }
        (b"htpasswd", options) if options.starts_with(b"-") && options.contains(&b'b') => {
            Some(if options.contains(&b'n') { 3 } else { 4 })
        }
        (b"wpa_passphrase", _) => Some(2),
        _ => None,
    }
}

/// Whether a program is called with `user/password@host`.
pub(super) fn takes_slashed(program: &[u8]) -> bool {
    program == b"sqlplus"
}
