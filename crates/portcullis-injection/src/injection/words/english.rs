//! English.

use super::{super::class::*, Row};

pub(super) const WORDS: &[Row] = &[
    (
        IGNORE,
        "ignore disregard forget overlook dismiss discard neglect abandon disobey aside erase",
    ),
    (IGNORE | TELLING, "ignoring disregarding forgetting"),
    (BYPASS, "override bypass circumvent overrule evade violate supersede sidestep"),
    (STOP, "stop cease quit halt refrain"),
    (FOLLOW, "follow following obey obeying adhere comply complies heed honor honour"),
    (
        EARLIER,
        "previous previously prior above preceding earlier before foregoing former past initial original existing",
    ),
    (
        INSTRUCTIONS,
        "instruction instructions directions rules directive directives guideline guidelines programming restrictions constraints policies commands orders training",
    ),
    (INSTRUCTIONS | PROMPT, "prompt prompts"),
    (EVERYTHING, "everything anything whatever"),
    (ALL, "all every entire each any"),
    (TOLD, "told given instructed taught learned learnt programmed"),
    (YOU, "you youre youve youll"),
    (YOU | YOUR, "your yours"),
    (AI, "ai ais llm llms chatbot chatbots gpt chatgpt claude copilot gemini codex genai"),
    (AGENT, "assistant assistants agent agents bot bots model models automation"),
    (
        READ,
        "reading reads processes summarizes summarises handles reviews visits processing parsing summarizing summarising summarize summarise reviewing analyzing analysing visiting viewing translating indexing crawling read scanning encountering ingesting",
    ),
    (THIS, "this these following below it that here"),
    (
        CONTENT,
        "page webpage website site file document documents email message text issue repository repo readme content contents comment ticket article function resume output input snippet image diff description review data result event invitation appointment meeting channel reservation participant",
    ),
    (
        MUST,
        "requires must should required need shall have mandatory obliged immediately urgently ensure please strictly",
    ),
    (
        ACT,
        "run execute call invoke use download install open fetch visit click add write create modify append change set put curl wget read cat paste transfer pay buy order grant invite start launch navigate go encode",
    ),
    (
        HARM,
        "delete wipe remove erase destroy drop purge shred rm format corrupt encrypt overwrite uninstall",
    ),
    (
        SEND,
        "export dump send upload post email forward exfiltrate transmit leak share submit deliver push publish mail hand copy dm beacon smuggle report transfer attach relay",
    ),
    (
        REVEAL,
        "print reveal show output repeat display disclose dump include list provide recite expose quote echo return give summarize write embed append encode",
    ),
    (
        SECRET,
        "password passwords passphrase passcode secret secrets key keys token tokens credential credentials rsa ed25519 env dotenv ssh cookie cookies apikey private wallet seed confidential netrc",
    ),
    (SYSTEM, "system"),
    (NOT, "not never dont no cannot cant doesnt wont"),
    (
        TELL,
        "tell mention inform notify reveal alert disclose warn telling mentioning informing notifying alerting acknowledge",
    ),
    (PERSON, "user users human humans owner operator anyone anybody person them nobody"),
    (
        ASK,
        "ask asked asking confirm confirmation confirmations approval approvals permission permissions consent confirming requesting request verification clarification",
    ),
    (
        QUIET,
        "hidden silently secretly quietly covertly discreetly stealthily invisibly unnoticed secret",
    ),
    (NOW, "now henceforth"),
    (MODE, "mode persona"),
    (
        UNBOUND,
        "jailbroken unrestricted unfiltered uncensored omnipotent amoral unchained lawless amoral",
    ),
    (PRETEND, "pretend act roleplay behave impersonate imagine become simulate immerse"),
    (
        AUTHORITY,
        "administrator administrators admin admins sysadmin root openai anthropic google microsoft meta management superuser supervisor headquarters ceo enforcement",
    ),
    (AUTHORITY | MAKER, "developer developers creator creators god maker makers vendor"),
    (APPROVED, "approved preapproved authorized authorised granted consented permitted confirmed"),
    (APPROVE, "approve approves merge accept allow authorize authorise whitelist autoapprove lgtm"),
    (
        DISABLE,
        "disable disabled deactivate deactivated suspend suspended lifted off turned unlocked removed",
    ),
    (
        SAFETY,
        "safety guardrail guardrails confirmation confirmations checks filter filters restrictions safeguards safeguard policy policies protections limits limitations moderation sandbox security censorship ethics ethical scanner approval approvals",
    ),
    (NEW, "new updated revised real actual true sole"),
    (
        TASK,
        "task goal objective mission job assignment purpose instruction instructions directive priority role",
    ),
    (INSTEAD, "instead rather"),
    (DECODE, "decode decipher decrypt unscramble"),
    (
        DISCUSS,
        "attack attacks attacker attackers injection injections jailbreaks malicious adversary adversarial adversaries example examples eg phishing detect detects detected detector detection detecting pattern patterns payload payloads defend defense assert asserts fixture fixtures corpus scanner vulnerability vulnerable exploit exploits phrase phrases wording untrusted hostile flagged flags researchers fooled hid classifier benchmark redteam blocklist denylist mitigation tricks tricked",
    ),
    (DESTINATION, "webhook pastebin ngrok requestbin http https ftp"),
    (DOOR, "bashrc zshrc crontab sudoers bash_profile launchagents"),
    (AUTOMATICALLY, "automatically auto autonomously unconditionally blindly"),
    (WITHOUT, "without"),
    (BE, "are is be am been was were has had"),
    (WHEN, "when if before after once whenever upon while unless until prior"),
    (
        KIND,
        "developer debug god admin maintenance root sudo unrestricted dev jailbreak unsafe system diagnostic superuser privileged security emergency opposite training",
    ),
    (
        TELLING,
        "tells asks instructs says they it we which who could may might would will i can did does didnt into by of he she cannot tries tried trying try how why whether",
    ),
    (OTHER, "different another other new"),
    (TO, "to for all any"),
    (
        NOTE,
        "note attention message notice dear important instructions warning reminder memo directive",
    ),
    (END, "end begin start stop new"),
    (
        DATA,
        "conversation history chat transcript files file contents emails contacts inbox database data repository code source environment variables messages memory context notes documents details invoices transactions balance statements records directory folder desktop home workspace calendar logs config configuration address number card account accounts project",
    ),
    (
        SAY,
        "continuing proceeding responding say state respond reply answer answering print output tell claim report write conclude",
    ),
    (ME, "i im my me as"),
    (
        VOID,
        "void obsolete superseded cancelled canceled revoked suspended null expired overridden outdated invalid lifted",
    ),
    (
        TOOL,
        "tool tools function functions command commands script api plugin action actions server binary payload helper installer",
    ),
    (
        ACT | RUN,
        "run execute call invoke install download launch start curl wget rerun import retry",
    ),
    (ACT | PAY, "pay transfer wire buy order book reserve purchase donate refund"),
    (ACT | VISIT, "open visit navigate browse click go"),
    (
        ACT | WRITE,
        "write add create modify append change set insert update edit fill register replace render",
    ),
    (ACT | GRANT, "grant invite share accept merge publish"),
    (FIRST, "first beforehand"),
    (
        CONTINUE,
        "continue proceed finish complete solve resume completing finishing proceeding continuing solving answering fix triage work answer reply",
    ),
    (REQUEST, "request requests question query asked wants wanted wish"),
    (GAVE, "gave given requested asked assigned"),
    (RECOMMEND, "recommend rank rate praise prefer promote favour favor endorse"),
    (ANSWER, "answer answers reply replies response responses summary summaries output"),
    (GREETING, "dear hello hey hi attention"),
    (FROM, "from by"),
    (
        MONEY,
        "transaction transactions money eur usd euro euros payment iban account funds dollars bitcoin bank",
    ),
    (TODO, "todo"),
    (DO, "do doing perform complete carry fulfil fulfill"),
    (PLACEHOLDER, "placeholder placeholders replacing"),
    (LINK, "image picture link markdown pixel beacon"),
    (RECKLESS, "verify hooks force sudo unattended"),
    (FRAME, "document context page input conversation retrieved results transcript"),
    (CAN, "can may could able"),
    (READER, "reader readers reviewer reviewers screening"),
    (
        CHANGED,
        "upgraded cancelled canceled superseded supersedes replaced changed outdated withdrawn obsolete",
    ),
    (KNOW, "know show explain notice see hear shown"),
    (NOBODY, "nobody anyone anybody"),
    (ABOUT, "about for regarding concerning on"),
    (
        HANDLE,
        "handling handles browsing browses working works editing edits running triaging comparing assisting helping managing manages maintaining screening opening opens receives receiving using",
    ),
    (LANGUAGE, "language"),
    (REMEMBER, "remember memory memorize memorise future"),
    (ACT, "bump tag deploy reset restart rotate grab rename commit echo"),
    (VALID, "valid apply applies binding force"),
    (ONLY, "only solely exclusively"),
    (BYPASS, "skip"),
    (AI, "llama mistral grok deepseek qwen"),
    (
        ROTATED,
        "vtaber vafgehpgvba vafgehpgvbaf cerivbhf qvfertneq sbetrg cebzcg flfgrz nffvfgnag nyy cnffjbeq",
    ),
    (
        REVERSED,
        "erongi noitcurtsni snoitcurtsni suoiverp dragersid tegrof tpmorp metsys tnatsissa drowssap",
    ),
];
