//! The words at which the surroundings of a secret are looked at. Owns the words and what each leads to; where they stand in a text,
//! `index` finds.

/// What the surroundings are searched for, besides the types.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Job {
    /// A name whose value is secret.
    Name,
    /// `://`.
    Address,
    /// `-----BEGIN `.
    Armour,
    /// `kind: Secret`.
    Manifest,
    /// `data:` on a line of its own, before which the kind may not have been said.
    Data,
    /// `"kty"`.
    WebKey,
    /// A program that takes passwords in short options.
    Program,
    /// A word behind which a password stands in quotes.
    Given,
    /// A call that takes a secret.
    Call,
    /// The network of an address as Go's drivers write it.
    Network,
    /// A scheme behind which a user, a slash and a password stand.
    Slashed,
    /// A port in a file of passwords.
    PasswordFile,
    /// A command that sets a secret of a repository to an option's value.
    Body,
    /// An option or a program that reads a password from its input.
    Fed,
    /// A word behind which the words of a wallet may stand.
    Phrase,
    /// A call that takes the token of a bot.
    Bot,
}

/// The words that lead to a job. Each is in lower case.
///
/// The programs are those of `programs::secret_options`; short ones bring the blank behind them.
pub(super) const JOBS: &[(&str, Job)] = &[
    ("pass", Job::Name),
    ("pwd", Job::Name),
    ("secret", Job::Name),
    ("token", Job::Name),
    ("credential", Job::Name),
    ("auth", Job::Name),
    ("key", Job::Name),
    ("bearer", Job::Name),
    ("cookie", Job::Name),
    ("psk", Job::Name),
    ("://", Job::Address),
    ("-----begin ", Job::Armour),
    ("encrypted private key ----", Job::Armour),
    ("putty-user-key-file-", Job::Armour),
    ("mnemonic", Job::Phrase),
    ("phrase", Job::Phrase),
    ("seed", Job::Phrase),
    ("kind:secret", Job::Manifest),
    ("kind: secret", Job::Manifest),
    ("kind:   secret", Job::Manifest),
    ("kind:  secret", Job::Manifest),
    ("kind: \"secret", Job::Manifest),
    ("kind: 'secret", Job::Manifest),
    ("kind\": \"secret", Job::Manifest),
    ("kind\":\"secret", Job::Manifest),
    ("data:", Job::Data),
    ("data\":", Job::Data),
    ("\"kty\"", Job::WebKey),
    ("mysql", Job::Program),
    ("mariadb", Job::Program),
    ("sshpass", Job::Program),
    ("curl", Job::Program),
    ("http ", Job::Program),
    ("https ", Job::Program),
    ("xh ", Job::Program),
    ("redis-cli", Job::Program),
    ("ldap", Job::Program),
    ("mongo", Job::Program),
    ("login ", Job::Program),
    ("smbclient", Job::Program),
    ("rpcclient", Job::Program),
    ("sqlcmd", Job::Program),
    ("osql", Job::Program),
    ("bcp ", Job::Program),
    ("zip ", Job::Program),
    ("unzip ", Job::Program),
    ("7z ", Job::Program),
    ("7za ", Job::Program),
    ("7zz ", Job::Program),
    ("rar ", Job::Program),
    ("unrar ", Job::Program),
    ("openssl", Job::Program),
    ("snmp", Job::Program),
    ("ssh-keygen", Job::Program),
    ("htpasswd", Job::Program),
    ("wpa_passphrase", Job::Program),
    ("net us", Job::Program),
    ("lftp", Job::Program),
    ("sqlplus", Job::Program),
    ("identified by", Job::Given),
    ("securestring", Job::Given),
    ("pw=", Job::Name),
    ("pw:", Job::Name),
    ("pw\"", Job::Name),
    ("pw'", Job::Name),
    ("pw ", Job::Name),
    ("pswd", Job::Name),
    ("kennwort", Job::Name),
    ("contrase", Job::Name),
    ("senha", Job::Name),
    (".login(\"", Job::Bot),
    (".login('", Job::Bot),
    (".run(\"", Job::Bot),
    (".run('", Job::Bot),
    ("login(", Job::Call),
    ("connect(", Job::Call),
    ("connection(", Job::Call),
    ("pdo(", Job::Call),
    ("mysqli(", Job::Call),
    ("sequelize(", Job::Call),
    ("ftp(", Job::Call),
    ("jwt.", Job::Call),
    ("hmac", Job::Call),
    ("fernet(", Job::Call),
    ("@tcp(", Job::Network),
    ("@unix(", Job::Network),
    ("oracle:thin:", Job::Slashed),
    (":5432:", Job::PasswordFile),
    (":*:", Job::PasswordFile),
    ("secret set ", Job::Body),
    ("sudo -s", Job::Fed),
    ("-stdin", Job::Fed),
];
