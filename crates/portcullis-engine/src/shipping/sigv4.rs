//! Requests to an object store, signed as Amazon's Signature Version 4 says (AWS4-HMAC-SHA256), which every store that speaks S3 understands. Owns the canonical
//! request and the chain of keys; what is asked for, [`super::bucket`] knows.

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::{Timestamp, tz::TimeZone};
use sha2::{Digest as _, Sha256};

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const SERVICE: &str = "s3";

/// Who asks.
#[derive(Clone)]
pub struct Credentials {
    /// The name of the key.
    id: String,
    /// The key.
    secret: String,
    /// What comes with a key for a time.
    token: Option<String>,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Credentials({})", self.id)
    }
}

impl Credentials {
    /// What a file says with the names of AWS's environment: `AWS_ACCESS_KEY_ID=…`, `AWS_SECRET_ACCESS_KEY=…` and perhaps `AWS_SESSION_TOKEN=…`, a line each. Nothing
    /// where one is missing, or there is anything else.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (mut id, mut secret, mut token) = (None, None, None);
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, value) = line.split_once('=')?;
            let is_visible = |letter: char| letter.is_ascii_graphic();
            if value.is_empty() || !value.chars().all(is_visible) {
                return None;
            }
            let to = match name.trim() {
                "AWS_ACCESS_KEY_ID" => &mut id,
                "AWS_SECRET_ACCESS_KEY" => &mut secret,
                "AWS_SESSION_TOKEN" => &mut token,
                _ => return None,
            };
            if to.replace(value.to_owned()).is_some() {
                return None;
            }
        }
        Some(Self { id: id?, secret: secret?, token })
    }
}

/// A request before it is signed.
pub(super) struct Asked<'r> {
    pub method: &'r str,
    /// As it is sent: what has to be is escaped already.
    pub path: &'r str,
    /// Names and values, not escaped.
    pub query: &'r [(&'r str, &'r str)],
    pub host: &'r str,
    /// Further headers that are signed: names in small letters, values without spaces around them.
    pub headers: &'r [(&'r str, &'r str)],
    pub body: &'r [u8],
}

impl Asked<'_> {
    /// The headers that it is sent with: those that were given, and those that sign it.
    pub(super) fn signed(
        &self,
        credentials: &Credentials,
        region: &str,
        now: Timestamp,
    ) -> Vec<(String, String)> {
        let time = now.to_zoned(TimeZone::UTC).strftime("%Y%m%dT%H%M%SZ").to_string();
        let day: String = time.chars().take(8).collect();
        let digest = HEXLOWER.encode(&Sha256::digest(self.body));
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let mut headers: Vec<(String, String)> = self.headers.iter().map(own).collect();
        headers.push(("x-amz-content-sha256".to_owned(), digest.clone()));
        headers.push(("x-amz-date".to_owned(), time.clone()));
        if let Some(token) = &credentials.token {
            headers.push(("x-amz-security-token".to_owned(), token.clone()));
        }
        let mut all = headers.clone();
        all.push(("host".to_owned(), self.host.to_owned()));
        all.sort();
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(";");
        let lines: String = all.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
        let canonical = format!(
            "{}\n{}\n{}\n{lines}\n{names}\n{digest}",
            self.method,
            self.path,
            query(self.query)
        );
        let scope = format!("{day}/{region}/{SERVICE}/aws4_request");
        let hash = HEXLOWER.encode(&Sha256::digest(canonical));
        let text = format!("{ALGORITHM}\n{time}\n{scope}\n{hash}");
        let first = format!("AWS4{}", credentials.secret).into_bytes();
        let key = [day.as_str(), region, SERVICE, "aws4_request"]
            .iter()
            .fold(first, |key, word| keyed(&key, word));
        let signature = HEXLOWER.encode(&keyed(&key, &text));
        let id = &credentials.id;
        headers.push((
            "authorization".to_owned(),
            format!(
                "{ALGORITHM} Credential={id}/{scope},SignedHeaders={names},Signature={signature}"
            ),
        ));
        headers
    }
}

/// A query as it is signed, and sent: by name, and everything escaped that RFC 3986 does not leave alone.
pub(super) fn query(parts: &[(&str, &str)]) -> String {
    let mut parts: Vec<(String, String)> =
        parts.iter().map(|(name, value)| (escaped(name), escaped(value))).collect();
    parts.sort();
    let parts: Vec<String> = parts.iter().map(|(name, value)| format!("{name}={value}")).collect();
    parts.join("&")
}

/// With everything escaped that RFC 3986 does not leave alone.
pub(super) fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            written.push(char::from(byte));
        } else {
            written.push_str(&format!("%{byte:02X}"));
        }
    }
    written
}

fn keyed(key: &[u8], text: &str) -> Vec<u8> {
    match Hmac::<Sha256>::new_from_slice(key) {
        Ok(mut mac) => {
            mac.update(text.as_bytes());
            mac.finalize().into_bytes().to_vec()
        }
        // A key may have any length.
        Err(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE\nAWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n";

    /// The examples of Amazon's "Signature Calculations for the Authorization Header".
    #[test]
    fn signatures_are_those_that_the_vendor_publishes() {
        let credentials = Credentials::read(FILE).unwrap();
        let now: Timestamp = "2013-05-24T00:00:00Z".parse().unwrap();
        let asked = |method, path, query, headers, body: &'static [u8]| Asked {
            method,
            path,
            query,
            host: "examplebucket.s3.amazonaws.com",
            headers,
            body,
        };
        let put: &[(&str, &str)] = &[
            ("date", "Fri, 24 May 2013 00:00:00 GMT"),
            ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ];
        let listed: &[(&str, &str)] = &[("prefix", "J"), ("max-keys", "2")];
        for (asked, signature) in [
            (
                asked("GET", "/test.txt", &[], &[("range", "bytes=0-9")], b""),
                "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
            ),
            (
                asked("PUT", "/test%24file.text", &[], put, b"Welcome to Amazon S3."),
                "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
            ),
            (
                asked("GET", "/", &[("lifecycle", "")], &[], b""),
                "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
            ),
            (
                asked("GET", "/", listed, &[], b""),
                "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
            ),
        ] {
            let headers = asked.signed(&credentials, "us-east-1", now);
            let (_, written) = headers.last().unwrap();
            assert!(written.ends_with(&format!("Signature={signature}")), "{written}");
        }
    }

    #[test]
    fn credentials_are_read_whole_or_not_at_all() {
        let read =
            Credentials::read(&format!("# for heads\n\n{FILE}AWS_SESSION_TOKEN=abc\n")).unwrap();
        assert_eq!(read.token.as_deref(), Some("abc"));
        assert_eq!(format!("{read:?}"), "Credentials(AKIAIOSFODNN7EXAMPLE)");
        let half = FILE.lines().next().unwrap();
        for bad in [
            "",
            half,
            "x",
            &format!("{FILE}{half}"),
            &format!("{FILE}OTHER=1"),
            &FILE.replace("AKIA", "").replace("IOSFODNN7EXAMPLE", ""),
            &FILE.replace("wJ", "w J"),
        ] {
            assert!(Credentials::read(bad).is_none(), "{bad}");
        }
    }
}
