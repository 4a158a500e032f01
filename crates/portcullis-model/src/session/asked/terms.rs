//! The words that tell of a clause how it is meant: what is named by them, and what is not. Owns the lists.

/// English words behind which it is no longer said what is forbidden, and those of them that say where something is.
pub(super) const FOLLOWS_OBJECT: &[&str] = &[
    "about", "after", "as", "at", "because", "before", "but", "by", "during", "for", "from", "if",
    "in", "inside", "into", "just", "of", "on", "since", "so", "than", "to", "under", "unless",
    "until", "when", "where", "while", "with", "within", "without",
];

/// English words for whatever there is, by which nothing is told apart.
pub(super) const GENERAL: &[&str] = &[
    "all",
    "adjustments",
    "change",
    "changes",
    "code",
    "codebase",
    "data",
    "edit",
    "edits",
    "file",
    "files",
    "here",
    "it",
    "modification",
    "modifications",
    "now",
    "project",
    "repo",
    "repository",
    "source",
    "state",
    "stuff",
    "system",
    "them",
    "there",
    "thing",
    "things",
    "yet",
    "bitte",
    "favor",
    "instant",
    "l'instant",
    "moment",
    "please",
    "pour",
    "пожалуйста",
    "codigo",
    "datei",
    "dateien",
    "projekt",
    "noch",
    "archivo",
    "archivos",
    "ahora",
    "por",
    "proyecto",
    "ningun",
    "arquivo",
    "arquivos",
    "fichier",
    "fichiers",
    "projet",
    "bestand",
    "bestanden",
    "progetto",
    "ora",
    "per",
    "pliku",
    "plikow",
    "код",
    "кода",
    "файл",
    "файлы",
    "файлов",
    "проект",
    "пока",
    "здесь",
];

/// English words for what is not asked for.
pub(super) const BEYOND: &[&str] = &["else", "other", "others", "rest", "unrelated"];

/// The words for it in other languages, wherever they stand in a clause that forbids something.
pub(super) const BEYOND_ELSEWHERE: &[&str] = &[
    "другое",
    "другие",
    "другого",
    "остальное",
    "sonst",
    "anderes",
    "otro",
    "otra",
    "otros",
    "otras",
    "demas",
    "d'autre",
    "autre",
    "autres",
    "altro",
    "altri",
    "outro",
    "outra",
    "outros",
    "anders",
    "innego",
    "innych",
    "baska",
];

/// More of them.
pub(super) const BEYOND_JOINED: &[&str] =
    &["其他", "其它", "别的", "另外的", "他の", "他は", "다른"];

/// English words for what others wrote and a project needs.
pub(super) const PACKAGES: &[&str] = &[
    "crates",
    "dependencies",
    "dependency",
    "deps",
    "gems",
    "libraries",
    "library",
    "package",
    "packages",
];

/// Words of which each says nothing of what is not to be changed.
pub(super) const NAMES_NOTHING: &[&str] = &[
    "暂时",
    "目前",
    "现在",
    "请",
    "先",
    "也",
    "都",
    "再",
    "还",
    "不要",
    "别",
    "勿",
    "不得",
    "禁止",
    "修改",
    "更改",
    "编辑",
    "改动",
    "写入",
    "改",
    "写",
    "任何",
    "文件",
    "代码",
    "东西",
    "内容",
    "项目",
    "仓库",
    "的",
    "了",
    "我",
    "让",
    "あなたは",
    "ファイル",
    "コード",
    "まだ",
    "変更",
    "編集",
    "修正",
    "しないで",
    "ください",
    "何も",
    "は",
    "を",
    "も",
    "に",
    "で",
];

/// Words between the one for `only` and what it names.
pub(super) const BEFORE_ONLY: &[&str] = &[
    "file",
    "files",
    "folder",
    "in",
    "inside",
    "the",
    "these",
    "this",
    "within",
    "datei",
    "die",
    "archivo",
    "el",
    "файл",
    "файлы",
    "в",
];

/// Words behind `read-only` that leave it to say how everything is to be done.
pub(super) const READ_ONLY_ENDS: &[&str] = &[
    "and",
    "at",
    "but",
    "for",
    "here",
    "investigation",
    "look",
    "mode",
    "now",
    "please",
    "review",
    "session",
    "so",
    "task",
    "today",
    "until",
    "work",
];

/// English verbs of what is or is not so: nobody forbids to need or to seem.
pub(super) const STATES: &[&str] = &[
    "appear",
    "believe",
    "care",
    "exist",
    "get",
    "have",
    "know",
    "like",
    "matter",
    "mean",
    "mind",
    "need",
    "recall",
    "remember",
    "see",
    "seem",
    "think",
    "understand",
];

/// English words before `not` with which it says what is so, or asks.
pub(super) const SAYS_SO: &[&str] = &[
    "are", "did", "does", "had", "has", "have", "if", "is", "may", "might", "or", "was", "were",
    "whether", "why", "would",
];

/// Who does not do something, where nobody is told not to.
pub(super) const WHO: &[&str] =
    &["he", "i", "it", "she", "that", "they", "users", "we", "which", "who"];

/// English words of thanks and of asking for something in a polite way, before an order.
pub(super) const POLITE: &[&str] = &[
    "alright", "can", "cool", "good", "great", "nice", "perfect", "right", "thank", "thanks",
    "would", "you",
];

/// More of them.
pub(super) const SAYS_WHERE: &[&str] =
    &["about", "for", "in", "inside", "of", "on", "under", "within"];

/// English words that a question begins with; one that asks somebody to do something begins with others.
pub(super) const QUESTIONS: &[&str] = &[
    "are", "did", "does", "has", "have", "how", "is", "was", "were", "what", "what's", "which",
    "who", "whom", "whose", "why",
];

/// Words that say that nothing is to be done.
pub(super) const NOTHING: &[&str] =
    &["nichts", "niets", "rien", "nada", "niente", "nulla", "ничего", "nic"];

/// Who does something themselves: `comment only, I merge it`.
pub(super) const WHO_DOES: &[&str] = &[
    "i", "i'll", "he", "he'll", "she", "she'll", "they", "they'll", "we", "we'll", "ich", "wir",
    "je", "yo",
];

/// English and German words by which nothing else is meant, and in how many words that is said.
pub(super) const KEEPS: &[&str] = &["just", "nur", "only"];

/// English words that a noun follows.
pub(super) const NOUN_FOLLOWS: &[&str] = &[
    "the", "a", "an", "my", "your", "our", "their", "his", "her", "its", "this", "that", "these",
    "those", "each", "every", "any", "some", "of", "in", "on", "from", "for", "with", "latest",
    "last", "recent", "new", "old", "saved", "received", "unread", "sms", "open", "who", "which",
    "is", "was", "are", "been", "has", "have", "diese", "diesen", "dieser", "dieses", "diesem",
    "ce", "cet", "cette", "ces", "este", "esta", "questo", "questa", "deze", "dit",
];

/// Words of those that a person can stand behind as well.
pub(super) const OF_SOMEBODY: &[&str] = &["from", "for", "with", "on"];

/// Articles of other languages, with which nobody is called.
pub(super) const ARTICLES: &[&str] = &[
    "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "mein",
    "meine", "meinen", "meinem", "unser", "unsere", "unseren", "zum", "zur", "im", "am", "vom",
    "ins", "beim", "le", "la", "les", "un", "une", "du", "mon", "ma", "mes", "el", "los", "las",
    "una", "mi", "mis", "il", "lo", "gli", "o", "os", "as", "um", "uma", "het", "de", "een",
];

/// English words for what is no file.
pub(super) const NO_FILES: &[&str] = &[
    "account",
    "accounts",
    "branch",
    "branches",
    "column",
    "columns",
    "comment",
    "comments",
    "container",
    "containers",
    "customer",
    "customers",
    "database",
    "databases",
    "email",
    "emails",
    "issue",
    "issues",
    "message",
    "messages",
    "pod",
    "pods",
    "record",
    "records",
    "row",
    "rows",
    "table",
    "tables",
    "tag",
    "tags",
    "ticket",
    "tickets",
    "user",
    "users",
];
