//! What code of a file takes and sends, in languages of which only calls are read: a key of the user's, or the whole environment, and a connection that
//! something is sent by. Owns how both are found in its texts; that one flows into the other is supposed, since no value is followed there.

use portcullis_syntax::{
    Span,
    code::{TokenKind, dialect, tokens},
};

use super::walk::Walk;
use crate::{
    bound::Bounded as _,
    effect::{Argument, Certainty},
    place::{self, CredentialClass},
    programs::{found::File, host::Host as _},
    text::{Taint, Text},
};

/// The languages whose values are not followed.
const LANGUAGES: &[&str] =
    &["csharp", "elixir", "go", "groovy", "java", "kotlin", "php", "rust", "scala", "swift"];

/// How many texts of a file are looked at.
const TEXTS: usize = 512;

/// Calls by which something is sent, by words that stand in the code together.
const SENDS: &[&[&str]] = &[
    &["openConnection", "utputStream"],
    &["HttpClient", "send"],
    &["HttpClient", "Post"],
    &["UploadString"],
    &["UploadData"],
    &["http", "Post"],
    &["http", "NewRequest"],
    &["net", "Dial", "Write"],
    &["TcpStream", "connect", "write_all"],
    &["TcpStream", "connect", "write"],
    &["ureq", "post"],
    &["reqwest", "post"],
    &["stream_context_create", "file_get_contents"],
    &["curl_setopt", "CURLOPT_POSTFIELDS"],
    &["curl_setopt_array", "CURLOPT_POSTFIELDS"],
    &["fsockopen", "fwrite"],
    &["HTTPoison", "post"],
    &["Req", "post"],
    &["httpc", "request"],
    &["gen_tcp", "send"],
    &["Socket", "getOutputStream"],
    &["URLSession", "httpBody"],
];

/// Calls that give the whole environment, without blanks.
const ENVIRONMENT: &[&str] = &[
    "System.getenv()",
    "System.getenv().",
    "System.get_env()",
    "sys.env.m",
    "sys.env.t",
    "os.Environ()",
    "env::vars()",
    "GetEnvironmentVariables(",
    "ProcessInfo.processInfo.environment.",
    "=getenv()",
    "(getenv())",
    "json_encode($_ENV",
    "json_encode($_SERVER",
];

impl Walk<'_> {
    /// Says that a file of code sends what it takes.
    pub(super) fn sent_by(&mut self, language: &str, file: &File, span: Span) {
        if !LANGUAGES.contains(&language) {
            return;
        }
        let read = tokens(&file.text, dialect(language));
        let words: std::collections::BTreeSet<&str> = read
            .list
            .iter()
            .filter(|token| matches!(token.kind, TokenKind::Name | TokenKind::Variable))
            .map(|token| token.span.of(&file.text))
            .collect();
        self.charge(read.list.len() / super::BYTES_PER_WORK + 1);
        let has = |word: &&str| words.contains(*word) || words.iter().any(|it| it.ends_with(*word));
        if !SENDS.iter().any(|calls| calls.iter().all(has)) {
            return;
        }
        let mut taken: Option<Argument> = None;
        let mut address: Option<Argument> = None;
        let texts = read.list.iter().filter(|token| matches!(token.kind, TokenKind::Text(_)));
        for token in texts.at_most(TEXTS, self, Span::default()) {
            let written = token.span.of(&file.text).trim_matches(['"', '\'', '`', 'f', 's']);
            if written.contains("://") && address.is_none() {
                address = Some(Argument { text: Text::known(written), span: token.span });
            }
            let name = written.trim_start_matches(['~', '/']).trim_end_matches(['*', '/']);
            let path = format!("~/{name}");
            let target = self.target(&Text::known(path.as_str()));
            let is_key = name.starts_with('.')
                && place::credential_of(&target, self.facts())
                    .is_some_and(|found| found.class == CredentialClass::User);
            if is_key && taken.is_none() {
                taken = Some(Argument { text: Text::known(path), span: token.span });
            }
        }
        let bare: String = file.text.split_whitespace().collect();
        let takes_all = ENVIRONMENT.iter().any(|call| bare.contains(call));
        if taken.is_none() && !takes_all {
            return;
        }
        let address =
            address.unwrap_or_else(|| Argument { text: Text::unknown("an address"), span });
        self.at_most(Certainty::Likely, |walk| {
            let mut sends = Text::unknown("what the code takes");
            sends.taint = sends.taint.with(Taint::SECRET);
            if let Some(taken) = &taken {
                sends.inherit(&walk.read(taken));
            }
            walk.connect(&address, Some(sends), false);
        });
    }
}
