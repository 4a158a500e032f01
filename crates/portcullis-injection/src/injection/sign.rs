//! What is weighed of a place where a model is named. Owns the tables of the words that count before, behind and around a name, the signs
//! besides; which of them a place has, `address` says.

use super::{class::*, pattern::Signal};

/// What the words before a name say of it.
pub(super) static LEADS: [Class; 17] = [
    TO,
    NOTE,
    GREETING,
    WHEN,
    YOU,
    BE,
    DET,
    OWNED,
    MUST,
    NOT,
    ALL,
    TELLING,
    POLICY,
    OF,
    READ | HANDLE,
    INSTRUCTIONS,
    FIRST,
];
/// What those behind it say.
pub(super) static TRAILS: [Class; 15] = [
    READ | HANDLE,
    MUST,
    YOU,
    CAN,
    BE,
    TELLING,
    THIS,
    WHEN,
    TO,
    NOT,
    POLICY,
    OF,
    PERSON,
    FOLK,
    STORY,
];
/// What is asked for behind it.
pub(super) static SAID: [Class; 62] = [
    IGNORE,
    BYPASS,
    FOLLOW,
    EARLIER,
    INSTRUCTIONS,
    TOLD,
    YOU,
    YOUR,
    MUST,
    RUN,
    VISIT,
    WRITE,
    GRANT,
    PAY,
    HARM,
    SEND,
    REVEAL,
    SECRET,
    PROMPT,
    TELL,
    PERSON,
    ASK,
    QUIET,
    NOW,
    UNBOUND,
    PRETEND,
    AUTHORITY,
    APPROVED,
    APPROVE,
    DISABLE,
    SAFETY,
    NEW,
    TASK,
    INSTEAD,
    DESTINATION,
    DOOR,
    WITHOUT,
    WHEN,
    DATA,
    SAY,
    TOOL,
    MONEY,
    RECOMMEND,
    ANSWER,
    RECKLESS,
    FIRST,
    CONTINUE,
    HOUSE,
    CONTENT,
    READ | HANDLE,
    ONLY,
    THEN,
    NOTE,
    LINK | PLACEHOLDER,
    NOT,
    CAN,
    TELLING,
    OWNED,
    POLICY,
    FOLK,
    STORY,
    PHYSICAL,
];
/// The verbs of demands, as they stand at the beginning of a clause or behind a duty.
pub(super) static DEMANDS: [Class; 13] = [
    RUN,
    VISIT,
    WRITE,
    GRANT,
    PAY,
    HARM,
    SEND,
    REVEAL,
    RECOMMEND,
    SAY,
    IGNORE | BYPASS,
    DISABLE | APPROVE,
    PRETEND,
];
pub(super) const DEMAND: Class = RUN
    | VISIT
    | WRITE
    | GRANT
    | PAY
    | HARM
    | SEND
    | REVEAL
    | RECOMMEND
    | SAY
    | IGNORE
    | BYPASS
    | DISABLE
    | APPROVE
    | PRETEND
    | ACT;

/// What is looked at besides the words.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Sign {
    /// The name can be of nobody but a model.
    Certain,
    /// An agent or assistant without a word that makes a machine of it.
    Uncertain,
    /// A word before it makes a person of it.
    Human,
    /// It is spoken to by name: at the beginning of a clause, and what follows stands apart.
    Called,
    /// A colon ends what it is called by.
    Colon,
    /// It is named with an `@`.
    Mention,
    /// "If you are an AI".
    Identity,
    /// What it has to do is said of it.
    Duty,
    /// "You, the model"; "you are an assistant".
    You,
    /// It begins the text, or a line.
    Opens,
    OpensLine,
    /// What stands before and behind the name.
    GapLight,
    GapComma,
    GapSentence,
    NextLight,
    NextComma,
    NextLine,
    NextSentence,
    /// A demand at the beginning of a clause.
    Demanded,
    DemandedTwice,
    /// One that nobody who is careful does without asking.
    Loaded,
    /// To keep it from somebody; not to ask; to do nothing of something.
    Secret,
    Unasked,
    Forbidden,
    /// A command that a shell runs, or an address that carries something away.
    Shell,
    Beacon,
    /// In quotation marks within prose, or as a string.
    QuotedProse,
    QuotedValue,
    QuotedArgument,
    /// What is demanded stands in quotation marks and the name does not.
    DemandQuoted,
    Discussed,
    DiscussedOften,
    About,
    AboutOften,
    Comment,
    Hidden,
    Disguised,
    Decoded,
    Last,
    /// The words are of a language whose order is not looked at.
    Free,
    CertainCalled,
    CertainIdentity,
    CertainDuty,
    CalledLoaded,
    CalledSecret,
    IdentityDemand,
    DutyLoaded,
    HouseOnly,
    Consults,
    Capitals,
    Plain,
    /// Nothing but the name leads to it, and the text is of one sentence or two.
    Short,
    /// Policies and rules for people who use models.
    Policy,
    Story,
    /// It is told of and not to: "the assistant sends", "el asistente resume".
    Described,
    /// Speakers take turns.
    Dialogue,
    /// A quotation in a text on attacks.
    QuotedDiscussed,
    QuotedComment,
    /// Everything asked for is plain work: no secret, address, money, deletion, silence.
    Harmless,
    /// A benign text for models: rules of a repository, a reference of an interface.
    Reference,
    /// Demands that are said to hold before the task, or without asking.
    BeforeTask,
    CalledOverride,
    CalledAnswer,
}

const SIGNS: usize = Sign::CalledAnswer as usize + 1;
/// How many signs there are; the first number stands for none.
const COUNT: usize =
    1 + LEADS.len() + TRAILS.len() + SAID.len() + DEMANDS.len() + SIGNALS * GRADES + SIGNS;
/// How many signals of the patterns count here too, and how many grades of each.
const SIGNALS: usize = Signal::COUNT;
const GRADES: usize = 3;
const WORDS: usize = COUNT.div_ceil(64);

/// Which features a place has.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Features([u64; WORDS]);

impl Features {
    pub(super) fn set(&mut self, number: usize) {
        if let Some(word) = self.0.get_mut(number / 64) {
            *word |= 1 << (number % 64);
        }
    }

    pub(super) fn add(&mut self, sign: Sign) {
        self.set(COUNT - SIGNS + sign as usize);
    }

    /// A pattern that was found in what is said, with its weight.
    pub(super) fn signal(&mut self, signal: Signal, weight: u8) {
        for step in 0..usize::from(weight).min(GRADES) {
            self.set(COUNT - SIGNS - (signal as usize + 1) * GRADES + step);
        }
    }

    pub(super) fn has(&self, sign: Sign) -> bool {
        let number = COUNT - SIGNS + sign as usize;
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// The numbers of the features.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        (1..COUNT).filter(|at| self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1))
    }

    pub(super) fn words(&mut self, from: usize, classes: &[Class], all: Class) {
        for (at, class) in classes.iter().enumerate() {
            if all & class != 0 {
                self.set(from + at);
            }
        }
    }
}

/// Whether what is said can be meant for a model: nothing is told of a place without it, whatever it scores.
pub(super) fn is_told(features: &Features) -> bool {
    !(features.has(Sign::Plain) && features.has(Sign::Uncertain))
}
