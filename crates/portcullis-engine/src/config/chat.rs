//! Where requests are told, and what is decided there: the `[chat]` table. Owns its words; what is said, and whose word counts, the gateway knows.

use std::{path::PathBuf, time::Duration};

use jiff::SignedDuration;
use portcullis_core::{network::Target, risk::Severity};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{
    error::Misreading,
    level::{Level, level_of},
};
use crate::guardian::crosses_openly;

/// Where Slack takes what programs say.
const SLACK: &str = "https://slack.com/api/";

/// How many days a link counts after somebody logged in last, where nobody says otherwise, and at most.
const LINKS_LAST: u32 = 7;
const LONGEST_LINK: u32 = 90;

/// The most receivers, and the longest name of one.
const MOST: usize = 64;
const LONGEST_NAME: usize = 64;

/// The longest that a request waits before somebody is told of it, in seconds: none waits longer than a day. And the most times that they are told again.
const LONGEST_WAIT: u32 = 24 * 3_600;
const MOST_TIMES: usize = 16;

/// The longest id of Slack's, and the longest address of mail.
const LONGEST_ID: usize = 32;
const LONGEST_ADDRESS: usize = 254;

/// Who is told of requests, and what people may decide in a chat. Never in a project's file.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChatTable {
    /// The gravest risk that is decided by a button; `medium` by default, `high` at most. Anything graver is decided on the page.
    #[schemars(with = "Option<Level>")]
    pub up_to: Option<Spanned<Level>>,
    /// For how many days after somebody logged in last their account of a chat speaks for them; 7 by default, 90 at most.
    #[schemars(with = "Option<u32>")]
    pub links_last_days: Option<Spanned<u32>>,
    /// The app in Slack that shows requests with buttons.
    #[schemars(with = "Option<SlackTable>")]
    pub slack: Option<Spanned<SlackTable>>,
    /// How mail is sent.
    #[schemars(with = "Option<MailTable>")]
    pub mail: Option<Spanned<MailTable>>,
    /// Who is told.
    #[schemars(with = "Vec<ReceiverTable>")]
    pub receivers: Vec<Spanned<ReceiverTable>>,
}

/// An app in Slack.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlackTable {
    /// The id of the workspace: `T0123ABCD`.
    pub team: String,
    /// The id of the app: `A0123ABCD`.
    pub app: String,
    /// The file with its bot token (`xoxb-…`), absolute.
    pub token: PathBuf,
    /// The file with its signing secret, absolute: Slack speaks to us at `/chat/slack`.
    pub signing_secret: Option<PathBuf>,
    /// The file with its token for Socket Mode (`xapp-…`), absolute: we connect to Slack, and nothing comes in.
    pub app_token: Option<PathBuf>,
    /// Where Slack takes what is said; its own address by default.
    pub url: Option<String>,
}

/// How mail is sent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MailTable {
    /// Who it is from: an address.
    pub from: String,
    /// The program that takes a whole message and sends it to whom it names, and its arguments; `["/usr/sbin/sendmail", "-t", "-i"]` by default.
    pub command: Option<Vec<String>>,
}

/// Somebody who is told of requests: one of `slack`, `teams`, `mail` and `webhook`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceiverTable {
    /// Its name, under which the gateway lists what was sent.
    pub name: String,
    /// Of which projects; of all, and of what belongs to none, where it is missing.
    pub projects: Option<Vec<String>>,
    /// Of nothing but what a role of this group may approve, and not before it may: once its `after` is over, in its hours.
    pub group: Option<String>,
    /// In place of `group`: once a request has waited so many seconds. At once where neither is said.
    pub after: Option<u32>,
    /// And again where nobody decided so many seconds after that.
    #[serde(default)]
    pub again: Vec<u32>,
    /// The id of a channel of Slack: `C0123ABCD`.
    pub slack: Option<String>,
    /// The file with the address of a workflow of Microsoft Teams, absolute: whoever knows it can post there.
    pub teams: Option<PathBuf>,
    /// Addresses of mail.
    pub mail: Option<Vec<String>>,
    /// A URL that takes JSON.
    pub webhook: Option<String>,
    /// The file with what is sent there is signed with, absolute: `whsec_…`, or any text.
    pub secret: Option<PathBuf>,
}

/// Who is told of requests, and what is decided in a chat.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Chat {
    /// The gravest risk that is decided there.
    pub up_to: Severity,
    /// How long after a login an account of a chat speaks for somebody.
    pub links_last: SignedDuration,
    /// The app in Slack.
    pub slack: Option<SlackApp>,
    /// How mail is sent.
    pub mail: Option<Mail>,
    /// Who is told.
    pub receivers: Vec<Receiver>,
}

/// An app in Slack.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SlackApp {
    /// The workspace.
    pub team: String,
    /// The app.
    pub app: String,
    /// The file with its token.
    pub token: PathBuf,
    /// The file with its signing secret, where Slack speaks to us.
    pub signing_secret: Option<PathBuf>,
    /// The file with its token for Socket Mode, where we connect to Slack.
    pub app_token: Option<PathBuf>,
    /// Where Slack takes what is said, with a slash at its end.
    pub url: String,
}

/// How mail is sent.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Mail {
    /// Who it is from.
    pub from: String,
    /// The program, and its arguments.
    pub command: Vec<String>,
}

/// Somebody who is told.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Receiver {
    /// Its name.
    pub name: String,
    /// Of which projects; of everything where there are none.
    pub projects: Option<Vec<String>>,
    /// When.
    pub turn: Turn,
    /// How long after that they are told again while nobody decides, the shortest first.
    pub again: Vec<Duration>,
    /// How.
    pub way: Way,
}

/// When somebody is told of a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Turn {
    /// When it is asked, or once it has waited so long.
    After(Duration),
    /// Once a role of this group may approve it.
    Of(String),
}

/// How somebody is told.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Way {
    /// In this channel of Slack.
    Slack(String),
    /// By the workflow of Teams whose address stands in this file.
    Teams(PathBuf),
    /// By mail.
    Mail(Vec<String>),
    /// At this URL.
    Webhook {
        /// Where.
        url: String,
        /// The file with what it is signed with.
        secret: Option<PathBuf>,
    },
}

impl Default for Chat {
    fn default() -> Self {
        Self {
            up_to: Severity::Medium,
            links_last: SignedDuration::from_hours(24 * i64::from(LINKS_LAST)),
            slack: None,
            mail: None,
            receivers: Vec::new(),
        }
    }
}

impl Chat {
    /// It in words.
    pub(super) fn words(&self) -> String {
        let Self { up_to, links_last: _, slack, mail: _, receivers } = self;
        let slack = slack
            .as_ref()
            .map(|app| format!("Slack's {} with buttons up to {}", app.team, up_to.name()));
        let receivers = (!receivers.is_empty()).then(|| format!("{} receivers", receivers.len()));
        slack.into_iter().chain(receivers).collect::<Vec<_>>().join(", ")
    }
}

pub(super) fn chat_of(table: &ChatTable) -> Result<Chat, Misreading> {
    let ChatTable { up_to, links_last_days, slack, mail, receivers } = table;
    let gravest = up_to.as_ref().map_or(Severity::Medium, |level| level_of(*level.get_ref()));
    if let Some(written) = up_to.as_ref().filter(|_| gravest > Severity::High) {
        return Err(Misreading::new(
            written.span(),
            "what is critical is decided on the page alone",
        )
        .with_help("write `high` at most"));
    }
    let days = links_last_days.as_ref().map_or(LINKS_LAST, |days| *days.get_ref());
    if let Some(written) = links_last_days.as_ref().filter(|_| !(1..=LONGEST_LINK).contains(&days))
    {
        return Err(Misreading::new(written.span(), "nobody is known by a chat that long")
            .with_help("write 1 to 90 days"));
    }
    let chat = Chat {
        up_to: gravest,
        links_last: SignedDuration::from_hours(24 * i64::from(days)),
        slack: slack.as_ref().map(slack_of).transpose()?,
        mail: mail.as_ref().map(mail_of).transpose()?,
        receivers: receivers.iter().map(receiver_of).collect::<Result<_, _>>()?,
    };
    if let Some(one) = receivers.get(MOST) {
        return Err(Misreading::new(one.span(), "more receivers than anybody has")
            .with_help(format!("at most {MOST} are told")));
    }
    let mut names: Vec<&str> = Vec::new();
    for (receiver, written) in chat.receivers.iter().zip(receivers) {
        let wrong = |message: &str, help: &str| {
            Err(Misreading::new(written.span(), message.to_owned()).with_help(help))
        };
        if names.contains(&receiver.name.as_str()) {
            return wrong("two receivers have this name", "give each a name of its own");
        }
        names.push(&receiver.name);
        match receiver.way {
            Way::Slack(_) if chat.slack.is_none() => {
                return wrong("there is no app in Slack", "say in `chat.slack` which one it is");
            }
            Way::Mail(_) if chat.mail.is_none() => {
                return wrong("nobody sends mail", "say in `chat.mail` who it is from");
            }
            _ => {}
        }
    }
    Ok(chat)
}

fn slack_of(table: &Spanned<SlackTable>) -> Result<SlackApp, Misreading> {
    let SlackTable { team, app, token, signing_secret, app_token, url } = table.get_ref();
    let wrong =
        |message: String, help: &str| Err(Misreading::new(table.span(), message).with_help(help));
    for (id, of, letter) in [(team, "a workspace", 'T'), (app, "an app", 'A')] {
        if !id.starts_with(letter) || !is_id(id) {
            let help =
                "`team` begins with `T` and `app` with `A`; both stand in the app's settings";
            return wrong(format!("`{id}` is no id of {of} of Slack"), help);
        }
    }
    if signing_secret.is_none() && app_token.is_none() {
        let help =
            "`signing_secret` where Slack reaches this gateway, `app_token` where it does not";
        return wrong("Slack has no way to say anything here".to_owned(), help);
    }
    for path in [token].into_iter().chain(signing_secret).chain(app_token) {
        if !path.is_absolute() {
            let message = format!("`{}` is not an absolute path", path.display());
            return wrong(message, "a relative path would name another file in each directory");
        }
    }
    let url = url.clone().unwrap_or_else(|| SLACK.to_owned());
    if let Err(why) = is_said_to(&url) {
        let help = "leave `url` away, or write it with `https://`";
        return wrong(format!("nothing can be said there: {why}"), help);
    }
    let url = format!("{}/", url.trim_end_matches('/'));
    Ok(SlackApp {
        team: team.clone(),
        app: app.clone(),
        token: token.clone(),
        signing_secret: signing_secret.clone(),
        app_token: app_token.clone(),
        url,
    })
}

/// Whether it is an id as Slack makes them.
#[must_use]
pub fn is_id(text: &str) -> bool {
    (2..=LONGEST_ID).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// Whether something can be said to a URL, encrypted where it crosses a network.
fn is_said_to(url: &str) -> Result<(), String> {
    let target = Target::read(url).map_err(|refusal| refusal.to_string())?;
    if target.has_userinfo() || url.contains('#') {
        return Err("it has a name or a fragment in it".to_owned());
    }
    if crosses_openly(&target) {
        return Err("it would cross the network unencrypted".to_owned());
    }
    Ok(())
}

fn mail_of(table: &Spanned<MailTable>) -> Result<Mail, Misreading> {
    let MailTable { from, command } = table.get_ref();
    let wrong =
        |message: String, help: &str| Err(Misreading::new(table.span(), message).with_help(help));
    if !is_address(from) {
        return wrong(format!("`{from}` is no address of mail"), "write it as `gate@acme.example`");
    }
    let usual = || ["/usr/sbin/sendmail", "-t", "-i"].map(str::to_owned).to_vec();
    let command = command.clone().unwrap_or_else(usual);
    if !command.first().is_some_and(|program| PathBuf::from(program).is_absolute()) {
        let help =
            "name the program from the root on; a name alone is looked for by the environment";
        return wrong("the program that sends mail is not an absolute path".to_owned(), help);
    }
    Ok(Mail { from: from.clone(), command })
}

/// Whether it is an address that means one mailbox wherever it stands in a message.
fn is_address(text: &str) -> bool {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte);
    text.len() <= LONGEST_ADDRESS
        && text.split_once('@').is_some_and(|(name, host)| {
            !name.is_empty()
                && !name.starts_with('-')
                && name.bytes().all(is_plain)
                && host.contains(|character: char| character.is_ascii_alphanumeric())
                && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte))
        })
}

fn receiver_of(table: &Spanned<ReceiverTable>) -> Result<Receiver, Misreading> {
    let ReceiverTable { name, projects, group, after, again, slack, teams, mail, webhook, secret } =
        table.get_ref();
    let wrong =
        |message: String, help: &str| Err(Misreading::new(table.span(), message).with_help(help));
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(is_word) {
        return wrong(
            format!("`{name}` is no name of a receiver"),
            "expected 1 to 64 letters, digits, `-`, `_`, or `.`",
        );
    }
    if projects.as_ref().is_some_and(Vec::is_empty) {
        return wrong(
            "it is told of nothing".to_owned(),
            "name projects, or leave `projects` away",
        );
    }
    if group.is_some() && after.is_some() {
        let help = "the `after` of the group's roles says how long a request waits for it";
        return wrong("a receiver is told by `group` or by `after`".to_owned(), help);
    }
    let in_order = again.is_sorted_by(|one, next| one < next);
    if !in_order || again.first() == Some(&0) || again.len() > MOST_TIMES {
        let help = format!(
            "write at most {MOST_TIMES} numbers of seconds, each larger than the one before"
        );
        return wrong("it is told again at no such times".to_owned(), &help);
    }
    if after.iter().chain(again).any(|seconds| *seconds > LONGEST_WAIT) {
        return wrong("no request waits that long".to_owned(), "write seconds, of a day at most");
    }
    if secret.is_some() && webhook.is_none() {
        return wrong("only a webhook is signed".to_owned(), "leave `secret` away");
    }
    for path in teams.iter().chain(secret) {
        if !path.is_absolute() {
            let message = format!("`{}` is not an absolute path", path.display());
            return wrong(message, "a relative path would name another file in each directory");
        }
    }
    let way = match (slack, teams, mail, webhook) {
        (Some(channel), None, None, None) => {
            if !is_id(channel) {
                let help = "write the channel's id, which its details end with: `C0123ABCD`";
                return wrong(format!("`{channel}` is no id of a channel of Slack"), help);
            }
            Way::Slack(channel.clone())
        }
        (None, Some(path), None, None) => Way::Teams(path.clone()),
        (None, None, Some(to), None) => {
            if to.is_empty() || !to.iter().all(|address| is_address(address)) {
                let help = "write addresses as `ada@acme.example`, without names";
                return wrong("mail goes to addresses".to_owned(), help);
            }
            Way::Mail(to.clone())
        }
        (None, None, None, Some(url)) => {
            if let Err(why) = is_said_to(url) {
                let message = format!("`{url}` cannot be a webhook: {why}");
                return wrong(message, "write a URL with `https://`");
            }
            Way::Webhook { url: url.clone(), secret: secret.clone() }
        }
        _ => {
            let help = "say one of `slack`, `teams`, `mail` and `webhook`";
            return wrong("a receiver is told in one way".to_owned(), help);
        }
    };
    let seconds = |seconds: &u32| Duration::from_secs(u64::from(*seconds));
    let turn = match group {
        Some(group) => Turn::Of(group.clone()),
        None => Turn::After(after.as_ref().map_or(Duration::ZERO, seconds)),
    };
    let again = again.iter().map(seconds).collect();
    Ok(Receiver { name: name.clone(), projects: projects.clone(), turn, again, way })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLACK: &str =
        "[slack]\nteam = \"T1\"\napp = \"A1\"\ntoken = \"/t\"\nsigning_secret = \"/s\"\n";

    fn read(text: &str) -> Result<Chat, String> {
        let table: ChatTable = toml::from_str(text).map_err(|error| error.to_string())?;
        chat_of(&table).map_err(|error| error.message)
    }

    #[test]
    fn what_is_critical_is_never_decided_in_a_chat() {
        assert_eq!(read("").unwrap(), Chat::default());
        assert_eq!(read("up_to = \"high\"").unwrap().up_to, Severity::High);
        assert_eq!(read("").unwrap().up_to, Severity::Medium);
        assert!(read("up_to = \"critical\"").unwrap_err().contains("on the page alone"));
        assert!(read("links_last_days = 0").is_err() && read("links_last_days = 91").is_err());
    }

    #[test]
    fn each_receiver_is_told_in_one_way_that_exists() {
        let receiver = |more: &str| {
            format!("{SLACK}[mail]\nfrom = \"g@a.example\"\n[[receivers]]\nname = \"r\"\n{more}")
        };
        let chat = read(&receiver("slack = \"C1\"\nprojects = [\"pay\"]\n")).unwrap();
        let [one] = &chat.receivers[..] else { panic!("{chat:?}") };
        assert_eq!(one.projects.as_deref(), Some(&["pay".to_owned()][..]));
        for good in [
            "mail = [\"a@b.example\"]",
            "teams = \"/t\"",
            "webhook = \"https://h.example/x\"\nsecret = \"/s\"",
        ] {
            let chat = read(&receiver(good)).unwrap();
            assert_eq!(chat.receivers[0].projects, None, "{good}");
        }
        for bad in [
            "",
            "slack = \"#general\"",
            "slack = \"C1\"\nteams = \"/t\"",
            "teams = \"t\"",
            "mail = []",
            "mail = [\"Ada <a@b.example>\"]",
            "mail = [\"a@b.example\\nBcc: e@e.example\"]",
            "mail = [\"-oQ/tmp@b.example\"]",
            "webhook = \"http://h.example/x\"",
            "webhook = \"https://u:p@h.example/x\"",
            "slack = \"C1\"\nsecret = \"/s\"",
            "slack = \"C1\"\nprojects = []",
            "slack = \"C1\"\n[[receivers]]\nname = \"r\"\nslack = \"C2\"",
        ] {
            assert!(read(&receiver(bad)).is_err(), "{bad}");
        }
        assert!(read("[[receivers]]\nname = \"r\"\nslack = \"C1\"").is_err(), "no app");
        let turn = |more: &str| {
            let chat = read(&receiver(&format!("slack = \"C1\"\n{more}")))?;
            Ok::<_, String>((chat.receivers[0].turn.clone(), chat.receivers[0].again.len()))
        };
        assert_eq!(turn(""), Ok((Turn::After(Duration::ZERO), 0)));
        let late = Turn::After(Duration::from_secs(600));
        assert_eq!(turn("after = 600\nagain = [300, 900]"), Ok((late, 2)));
        assert_eq!(turn("group = \"on-call\""), Ok((Turn::Of("on-call".to_owned()), 0)));
        for bad in [
            "group = \"a\"\nafter = 1",
            "after = 86401",
            "again = [0]",
            "again = [60, 60]",
            "again = [120, 60]",
            "again = [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]",
        ] {
            assert!(turn(bad).is_err(), "{bad}");
        }
        assert!(read("[[receivers]]\nname = \"r\"\nmail = [\"a@b.example\"]").is_err(), "no mail");
        assert!(read(&SLACK.replace("\"T1\"", "\"t1\"")).is_err());
        assert!(read(&SLACK.replace("\"/t\"", "\"t\"")).is_err());
        let socket = SLACK.replace("signing_secret", "app_token");
        assert!(read(&socket).unwrap().slack.unwrap().signing_secret.is_none());
        assert!(read(&socket.replace("\"/s\"", "\"s\"")).is_err());
        assert!(read(&SLACK.replace("signing_secret = \"/s\"\n", "")).is_err(), "no way");
        assert!(read(&format!("{SLACK}url = \"http://slack.example/api\"")).is_err());
        let here = read(&format!("{SLACK}url = \"http://127.0.0.1:9/api\"")).unwrap();
        assert_eq!(here.slack.unwrap().url, "http://127.0.0.1:9/api/");
        assert!(read("[mail]\nfrom = \"g@a.example\"\ncommand = [\"sendmail\"]").is_err());
    }
}
