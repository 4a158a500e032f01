//! Rules on messages that command lines of mail, chat and telephone services send to people. Owns which commands those are; requests to the
//! same services over HTTP are judged where requests are read.

use super::{Hit, Rule, Scene, Shelf, When, effects::run, pattern};
use crate::{
    effect::{Effect, Kinds},
    finding::Category,
    risk::Severity,
};

pub(super) static SHELF: Shelf =
    Shelf { programs: &["aws", "az", "git", "mosquitto_pub", "twilio"], rules: RULES };

static RULES: &[Rule] = &[Rule {
    id: "message.sent",
    category: Category::Exfiltration,
    severity: Severity::High,
    message: "a message goes out to people in somebody's name",
    remedy: "show the text to a person, and let them send it",
    when: When::Effect(Kinds::RUN, sent),
    fires: &[
        "aws ses send-email --from a@example.com --destination ToAddresses=b@example.com --message Subject={Data=x}",
        "while read -r to; do aws ses send-email --from a@example.com --destination ToAddresses=$to --message file://m.json; done < list.txt",
        "aws sesv2 send-bulk-email --default-content file://m.json --bulk-email-entries file://all.json",
        "git send-email --to list@example.com 0001-x.patch",
        "aws sns publish --phone-number +4915112345678 --message hi",
        "mosquitto_pub !-h=localhost !-h=127.0.0.1 !--host=localhost !--host=127.0.0.1",
        "twilio api:core:messages:create --from +1 --to +2 --body hi",
        "signal-cli -a +491 send -m hi +492",
    ],
    quiet: &[
        "aws ses list-identities",
        "aws ses get-send-quota",
        "aws sns list-topics",
        "git send-email --dry-run 0001-x.patch",
        "twilio phone-numbers:list",
        "mosquitto_pub -h localhost -t x -m y",
    ],
    ..Rule::LOSS
}];

/// Commands that send something to one or to some.
const SENDING: &[&str] = &[
    "aws pinpoint send-messages|send-users-messages",
    "aws pinpoint-sms-voice-v2 send-text-message|send-media-message|send-voice-message",
    "aws ses|sesv2 send-email|send-raw-email|send-templated-email|send-bounce",
    "aws sns publish|publish-batch",
    "az communication email|sms|chat send|send-message",
    "az communication email|sms|chat message send",
    "git send-email !--dry-run !--dump-aliases",
    "matrix-commander -m|--message|-i|--image|-f|--file",
    "mosquitto_pub !-h=localhost !-h=127.0.0.1 !--host=localhost !--host=127.0.0.1",
    "signal-cli send|sendReaction|updateProfile",
    "telegram-send",
    "twilio api:core:messages:create|api:core:calls:create|email:send",
];

/// Commands that are made for many.
const TO_MANY: &[&str] = &[
    "aws pinpoint create-campaign|send-users-messages",
    "aws ses send-bulk-templated-email",
    "aws sesv2 send-bulk-email",
];

fn sent(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let run = run(effect)?;
    let shapes = TO_MANY.iter().chain(SENDING);
    let mut shapes = shapes.filter(|shape| pattern::names(shape, &run.program)).peekable();
    // Nearly every program is another, and need not be read for it.
    shapes.peek()?;
    let command = pattern::Command::new(run);
    shapes.any(|shape| command.has_shape(shape)).then(Hit::default)
}
