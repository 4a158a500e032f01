//! What a word can be. Owns the classes that the tables of words give and the patterns ask for; which words they are, `words`
//! says.

/// A set of classes, one bit each.
pub(super) type Class = u128;

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident = $bit:literal;)*) => {
        $($(#[$doc])* pub(super) const $name: Class = 1 << $bit;)*
    };
}

classes! {
    /// To set aside: ignore, forget.
    IGNORE = 0;
    /// To get around: override, bypass.
    BYPASS = 1;
    STOP = 2;
    /// To do as one is told: follow, obey.
    FOLLOW = 3;
    /// What was before: previous, above.
    EARLIER = 4;
    /// What somebody is told: instructions, guidelines.
    INSTRUCTIONS = 5;
    EVERYTHING = 6;
    /// Was told, given, taught.
    TOLD = 7;
    YOU = 8;
    YOUR = 9;
    /// What can only be a model: AI, LLM, the names of models.
    AI = 10;
    /// What is often a model: assistant, agent.
    AGENT = 11;
    /// To take in: reading, processing, summarise.
    READ = 12;
    THIS = 13;
    /// What is read: page, file, message.
    CONTENT = 14;
    MUST = 15;
    /// To act by a tool: run, download, call.
    ACT = 16;
    /// To do harm: delete, wipe.
    HARM = 17;
    /// To let something out: send, upload.
    SEND = 18;
    /// To show: print, reveal.
    REVEAL = 19;
    /// What nobody else may have: keys, passwords.
    SECRET = 20;
    PROMPT = 21;
    SYSTEM = 22;
    NOT = 23;
    /// To let somebody know: tell, mention.
    TELL = 24;
    /// For whom a model works: user, owner.
    PERSON = 25;
    /// To ask for a yes: ask, confirm, approval.
    ASK = 26;
    /// Silently, secretly.
    QUIET = 27;
    NOW = 28;
    MODE = 29;
    /// Without limits: jailbroken, unrestricted.
    UNBOUND = 30;
    /// To be what one is not: pretend, act.
    PRETEND = 31;
    /// Who may give orders: administrator, the makers of models.
    AUTHORITY = 32;
    APPROVED = 33;
    APPROVE = 34;
    DISABLE = 35;
    /// What holds a model back: safety, guardrails, checks.
    SAFETY = 36;
    NEW = 37;
    TASK = 38;
    INSTEAD = 39;
    DECODE = 40;
    /// All of what is named.
    ALL = 41;
    /// What people say who write about attacks.
    DISCUSS = 42;
    /// An address: a URL, a mail address, a webhook.
    DESTINATION = 43;
    /// A file that opens doors: authorized_keys, crontab, shell profiles.
    DOOR = 44;
    AUTOMATICALLY = 45;
    WITHOUT = 46;
    BE = 47;
    WHEN = 48;
    /// What a mode is named by: developer, god, debug.
    KIND = 49;
    /// A word of a language whose order of words is not that of the patterns.
    FREE = 50;
    /// What stands before a verb that tells and does not ask: they, could, into.
    TELLING = 51;
    OTHER = 52;
    TO = 53;
    NOTE = 54;
    END = 55;
    /// What a model knows of its user: history, files, mails.
    DATA = 56;
    /// To speak: say, answer.
    SAY = 57;
    ME = 58;
    /// Who made it: creator, developer.
    MAKER = 59;
    /// No longer in force.
    VOID = 60;
    /// A tool by its noun: tool, function, command.
    TOOL = 61;
    /// A word of the others as ROT13 writes it.
    ROTATED = 62;
    /// The same from its end to its beginning.
    REVERSED = 63;
    /// To give money: pay, transfer, book.
    PAY = 64;
    /// To go somewhere: open, visit, click.
    VISIT = 65;
    /// To start something: run, execute, install.
    RUN = 66;
    /// To change what is kept: add, modify, append.
    WRITE = 67;
    /// To let somebody in: invite, share, grant.
    GRANT = 68;
    FIRST = 69;
    /// To go on or come to an end with a task: continue, solve, finish.
    CONTINUE = 70;
    /// What somebody wants: request, question.
    REQUEST = 71;
    /// Asked for, as one who may: gave, requested.
    GAVE = 72;
    /// To speak well or badly of something: recommend, rank.
    RECOMMEND = 73;
    /// What a model says: reply, answer, summary.
    ANSWER = 74;
    /// How somebody is spoken to: dear, hello.
    GREETING = 75;
    FROM = 76;
    /// Money and where it lies: transaction, IBAN.
    MONEY = 77;
    /// What somebody means to do later: TODO.
    TODO = 78;
    /// To do: do, perform, complete.
    DO = 79;
    /// What a place in a text is filled with.
    PLACEHOLDER = 80;
    /// A picture or a link, which is loaded when it is shown.
    LINK = 81;
    /// What no careful person does: `--no-verify`, hooks, force.
    RECKLESS = 82;
    /// Where what is read ends: document, context, page, input.
    FRAME = 83;
    /// Can, may.
    CAN = 84;
    /// What is read for somebody: visitors, readers, reviewers.
    READER = 85;
    /// A task that is no longer wanted: cancelled, replaced, changed.
    CHANGED = 86;
    /// To get to know: see, notice, hear.
    KNOW = 87;
    NOBODY = 88;
    ONLY = 89;
    /// What instructions are for: about, regarding.
    ABOUT = 90;
    /// To be in force: valid, apply.
    VALID = 91;
    /// To have something in hand: handling, working on.
    HANDLE = 92;
    LANGUAGE = 93;
    /// To keep for later: remember, memory.
    REMEMBER = 94;
    /// Whose somebody is that is spoken of: our, their.
    OWNED = 95;
    /// What leads to a demand and says nothing: be sure to, be so kind as to, feel free to.
    CALMLY = 96;
    /// What joins a demand to another: and, then, also.
    THEN = 97;
    /// What makes a machine of who is called: automated, coding, virtual.
    TECH = 98;
    /// What is a machine with such a word: tool, system, reviewer.
    DEVICE = 99;
    /// What makes a person of an agent or assistant: travel, sales, teaching.
    HUMAN = 100;
    /// An article or the like.
    DET = 101;
    /// What rules of a repository are about: tests, style, commits.
    HOUSE = 102;
    /// What a text is called that says how something is to be used: policy, terms, usage.
    POLICY = 103;
    /// Whose something is: of.
    OF = 104;
    /// People in a text who are no users of a model: colleagues, patients, customers, students.
    FOLK = 105;
    /// Where stories, plays and games are: said, whispered, player.
    STORY = 106;
    /// What no model has in hand: a button, a label, a valve.
    PHYSICAL = 107;
}

/// Words by which the first pass finds what is worth reading: a stretch is, where two of these groups that belong together stand
/// near each other. Every pattern that can decide has words of two such groups.
pub(super) const GROUPS: [Class; 14] = [
    IGNORE | BYPASS | DISABLE | VALID | ROTATED | REVERSED,
    EARLIER | TOLD | EVERYTHING | AUTHORITY | SAY,
    INSTRUCTIONS | PROMPT | TASK | SAFETY | ROTATED | REVERSED,
    AI | AGENT | UNBOUND | MAKER | MODE | READ,
    YOUR | NEW | VOID | FOLLOW | SYSTEM,
    YOU | NOW | PRETEND | NOTE | BYPASS | READ | GREETING,
    PERSON,
    TELL | APPROVED | QUIET | IGNORE | REQUEST | CHANGED,
    AI | AGENT | TODO | TECH,
    MUST | PAY
        | VISIT
        | RUN
        | SEND
        | HARM
        | GRANT
        | REVEAL
        | WRITE
        | RECOMMEND
        | SAY
        | IGNORE
        | DISABLE
        | APPROVE
        | PRETEND,
    CONTINUE | GAVE,
    AGENT | TASK,
    PAY | SEND | HARM | GRANT | REVEAL | RECOMMEND | SAY | APPROVE | DISABLE | RUN,
    SECRET
        | QUIET
        | DOOR
        | NOBODY
        | APPROVED
        | AUTOMATICALLY
        | MONEY
        | READER
        | ANSWER
        | ASK
        | TELL,
];

/// The groups that belong to each group, as bits.
pub(super) const BELONG: [u16; 14] = [
    0b0000_0000_0110,
    0b0000_0000_0001,
    0b0000_0001_0001,
    0b0000_0010_0000,
    0b0000_0000_0100,
    0b0000_0000_1000,
    0b0000_1000_0000,
    0b0000_0100_0000,
    0b0010_0000_0000,
    0b0001_0000_0000,
    0b1000_0000_0000,
    0b0100_0000_0000,
    0b0010_0000_0000_0000,
    0b0001_0000_0000_0000,
];
