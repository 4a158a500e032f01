//! What goes to a client and comes back, so that nothing has to be kept for it: the `requestState` of the protocol of 2026-07-28. Owns what
//! stands in it, that nobody else can have made it, and that it fits the call that it comes with; that it is used once, the approvals see to.

use std::{io, path::Path};

use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::{platform, private, private::Unbelievable};

/// How long one holds.
pub const SECONDS: i64 = 600;

/// The longest that is looked at.
const LONGEST: usize = 96 << 10;

/// What every one begins with, so that what a server sealed is never taken for ours.
const PREFIX: &str = "pc1.";

/// What is signed beside the content, so that a signature of ours for something else is none for this.
const DOMAIN: &[u8] = b"portcullis/mcp/request-state/v1\0";

/// What a call is about, as far as its answer is bound to it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Who calls.
    pub principal: String,
    /// The server.
    pub server: String,
    /// The method, and what it names.
    pub tool: String,
    /// The digest of the arguments.
    pub arguments: String,
    /// The digest of the tool as it was accepted.
    pub pin: String,
    /// The policy.
    pub policy: String,
}

/// What is sealed.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The call.
    pub about: About,
    /// The request for approval that the client is to answer; nothing where it is the server that asks.
    pub approval: Option<String>,
    /// What the server sealed for itself, where it asks.
    pub inner: Option<String>,
    /// What tells it from others.
    pub nonce: String,
    /// When it ends, in seconds since 1970.
    pub expires: i64,
}

/// Why one is not taken.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Broken {
    /// It is not ours, or was changed.
    #[error("`requestState` was not made here, or was changed")]
    Forged,
    /// It is too old.
    #[error("`requestState` has expired; call again without it")]
    Expired,
    /// It was made for another call.
    #[error("`requestState` was made for another call; call again without it")]
    Other,
}

/// The key.
#[derive(Clone)]
pub struct Seal([u8; 32]);

impl Seal {
    /// The key of a state directory, which is made where there is none.
    ///
    /// # Errors
    /// What the system says.
    pub fn of(state: &Path) -> io::Result<Self> {
        let path = state.join("mcp").join("key");
        let made = || -> io::Result<Self> {
            let key: [u8; 32] = platform::random()?;
            private::write(&path, &key)?;
            Ok(Self(key))
        };
        match private::read(&path, 32) {
            Ok(bytes) => <[u8; 32]>::try_from(bytes.as_slice()).map(Self).or_else(|_| made()),
            Err(Unbelievable::Unreadable(error)) if error.kind() != io::ErrorKind::NotFound => {
                Err(error)
            }
            Err(_) => made(),
        }
    }

    /// Seals what a client is to bring back.
    ///
    /// # Errors
    /// When the system has no random bytes.
    pub fn close(
        &self,
        about: About,
        approval: Option<String>,
        inner: Option<String>,
    ) -> io::Result<(String, String)> {
        let nonce = data_encoding::HEXLOWER.encode(&platform::random::<12>()?);
        let expires = Timestamp::now().as_second().saturating_add(SECONDS);
        let state = State { about, approval, inner, nonce: nonce.clone(), expires };
        let body = serde_json::to_vec(&state)?;
        let encoded = data_encoding::BASE64URL_NOPAD.encode(&body);
        let mark = self.mark(&body).ok_or(io::ErrorKind::InvalidInput)?;
        let mark = data_encoding::BASE64URL_NOPAD.encode(&mark);
        Ok((format!("{PREFIX}{encoded}.{mark}"), nonce))
    }

    /// Reads what a client brought back with a call about `about`.
    ///
    /// # Errors
    /// [`Broken`].
    pub fn open(&self, text: &str, about: &About) -> Result<State, Broken> {
        let (encoded, mark) = text
            .strip_prefix(PREFIX)
            .filter(|rest| rest.len() <= LONGEST)
            .and_then(|rest| rest.split_once('.'))
            .ok_or(Broken::Forged)?;
        let decode = |text: &str| {
            data_encoding::BASE64URL_NOPAD.decode(text.as_bytes()).map_err(|_| Broken::Forged)
        };
        let (body, mark) = (decode(encoded)?, decode(mark)?);
        let mac = self.mac(&body).ok_or(Broken::Forged)?;
        mac.verify_slice(&mark).map_err(|_| Broken::Forged)?;
        let state: State = serde_json::from_slice(&body).map_err(|_| Broken::Forged)?;
        if state.about != *about {
            return Err(Broken::Other);
        }
        let left = state.expires.saturating_sub(Timestamp::now().as_second());
        if (1..=SECONDS).contains(&left) { Ok(state) } else { Err(Broken::Expired) }
    }

    /// Keys of any length are taken, so there always is one.
    fn mac(&self, body: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(DOMAIN);
        mac.update(body);
        Some(mac)
    }

    fn mark(&self, body: &[u8]) -> Option<Vec<u8>> {
        Some(self.mac(body)?.finalize().into_bytes().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about() -> About {
        let text = |text: &str| text.to_owned();
        About {
            principal: text("dev"),
            server: text("bank"),
            tool: text("pay"),
            arguments: text("sha256:1"),
            pin: text("sha256:2"),
            policy: text("p"),
        }
    }

    #[test]
    fn a_state_fits_the_call_that_it_was_made_for_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let seal = Seal::of(folder.path()).unwrap();
        let (text, nonce) = seal.close(about(), Some("4f".to_owned()), None).unwrap();
        let again = Seal::of(folder.path()).unwrap();
        let state = again.open(&text, &about()).unwrap();
        assert_eq!((state.approval.as_deref(), &state.nonce), (Some("4f"), &nonce));
        let changes: [fn(&mut About); 6] = [
            |it| it.principal.push('x'),
            |it| it.server.push('x'),
            |it| it.tool.push('x'),
            |it| it.arguments.push('x'),
            |it| it.pin.push('x'),
            |it| it.policy.push('x'),
        ];
        for change in changes {
            let mut other = about();
            change(&mut other);
            assert_eq!(seal.open(&text, &other), Err(Broken::Other), "{other:?}");
        }
    }

    #[test]
    fn nobody_else_can_make_one_and_no_byte_can_be_changed() {
        let folder = tempfile::tempdir().unwrap();
        let seal = Seal::of(folder.path()).unwrap();
        let (text, _) = seal.close(about(), None, Some("inner".to_owned())).unwrap();
        let stranger = tempfile::tempdir().unwrap();
        let stranger = Seal::of(stranger.path()).unwrap();
        assert_eq!(stranger.open(&text, &about()), Err(Broken::Forged));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(seal.open(&changed, &about()), Err(Broken::Forged), "byte {at}");
        }
        for text in ["", "pc1.", "pc1..", "x", &"A".repeat(200_000)] {
            assert_eq!(seal.open(text, &about()), Err(Broken::Forged));
        }
    }

    #[test]
    fn an_old_one_and_one_from_the_future_are_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let seal = Seal::of(folder.path()).unwrap();
        for expires in
            [Timestamp::now().as_second() - 1, Timestamp::now().as_second() + 10 * SECONDS]
        {
            let state = State {
                about: about(),
                approval: None,
                inner: None,
                nonce: String::new(),
                expires,
            };
            let body = serde_json::to_vec(&state).unwrap();
            let encode = |bytes: &[u8]| data_encoding::BASE64URL_NOPAD.encode(bytes);
            let text = format!("{PREFIX}{}.{}", encode(&body), encode(&seal.mark(&body).unwrap()));
            assert_eq!(seal.open(&text, &about()), Err(Broken::Expired));
        }
    }
}
