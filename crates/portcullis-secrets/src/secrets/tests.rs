use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{
    format::generate::{Numbers, instance},
    kinds::{Check, SecretType, all, contextual},
    *,
};

fn scan(text: &str) -> Vec<Finding> {
    Detector::default().scan(text.as_bytes())
}

pub(super) fn rules(text: &str) -> Vec<String> {
    scan(text).iter().map(|finding| finding.rule.to_string()).collect()
}

/// A text of a row's format that passes its checks.
pub(super) fn example(kind: &SecretType, format: &str, numbers: &mut Numbers) -> String {
    let base64 = |text: &str| data_encoding::BASE64URL_NOPAD.encode(text.as_bytes());
    let web_token = || {
        format!(
            "{}.{}.c2lnbmF0dXJlLW9mLWl0",
            base64("{\"alg\":\"HS256\",\"typ\":\"JWT\"}"),
            base64("{\"sub\":\"9f3a\"}")
        )
    };
    match kind.check {
        Check::JsonWebToken => web_token(),
        Check::EncodedWebToken => data_encoding::BASE64.encode(web_token().as_bytes()),
        Check::Snowflake => {
            format!("{}.G3xT_q.k2-Vb8nZqW4rT7yU1iO5pA3sD6fGhJ", base64("284920174829184756"))
        }
        Check::BasicAuth => {
            let login = data_encoding::BASE64.encode(b"deploy:v8Kq2LmXz71");
            format!("\"auth\": \"{login}")
        }
        Check::Bech32 => {
            let data: Vec<u8> =
                (0..52).map(|index| u8::try_from(index * 7 % 32).unwrap()).collect();
            let (human, _) = format.split_once("1<").unwrap();
            bech32(human, &data)
        }
        Check::Base58Check => base58check(
            match format.as_bytes().first() {
                Some(b'5' | b'K' | b'L') => &[0x80],
                Some(b'9' | b'c') => &[0xef],
                _ => &[4, 0x88, 0xad, 0xe4],
            },
            format,
        ),
        _ => instance(&format.replace('{', ""), numbers),
    }
}

fn bech32(human: &str, data: &[u8]) -> String {
    // Tried from all checksums of the last digit's neighbourhood would be long; it is computed instead.
    const DIGITS: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    let lower = human.to_ascii_lowercase();
    let step = |sum: u32, value: u8| {
        let top = sum >> 25;
        let mut sum = (sum & 0x01ff_ffff) << 5 ^ u32::from(value);
        for (bit, generator) in
            [0x3b6a_57b2_u32, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
                .into_iter()
                .enumerate()
        {
            if top >> bit & 1 == 1 {
                sum ^= generator;
            }
        }
        sum
    };
    let mut values: Vec<u8> = lower.bytes().map(|byte| byte >> 5).collect();
    values.push(0);
    values.extend(lower.bytes().map(|byte| byte & 31));
    values.extend(data);
    let sum = values.iter().chain(&[0; 6]).fold(1, |sum, value| step(sum, *value)) ^ 1;
    let tail = (0..6).map(|index| u8::try_from(sum >> (5 * (5 - index)) & 31).unwrap());
    let digits =
        data.iter().copied().chain(tail).map(|digit| char::from(DIGITS[usize::from(digit)]));
    let text: String = lower.chars().chain(['1']).chain(digits).collect();
    // All of one case, as the standard wants it.
    if human == lower { text } else { text.to_ascii_uppercase() }
}

/// Base58 with its checksum over a version and made bytes, whose beginning and length fit `format`.
fn base58check(version: &[u8], format: &str) -> String {
    const DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let length = if version.len() == 1 { 32 } else { 74 };
    for seed in 1..4000_u64 {
        let mut numbers = Numbers(seed * 7919);
        let mut bytes = version.to_vec();
        bytes.extend((0..length).map(|_| u8::try_from(numbers.below(256)).unwrap()));
        if format.starts_with(['K', 'L', 'c']) {
            bytes.push(1);
        }
        let sum = Sha256::digest(Sha256::digest(&bytes));
        bytes.extend_from_slice(&sum[..4]);
        let mut text = Vec::new();
        while bytes.iter().any(|byte| *byte > 0) {
            let mut rest = 0_u32;
            for byte in &mut bytes {
                rest = rest * 256 + u32::from(*byte);
                *byte = u8::try_from(rest / 58).unwrap();
                rest %= 58;
            }
            text.insert(0, DIGITS[usize::try_from(rest).unwrap()]);
        }
        let text = String::from_utf8(text).unwrap();
        if format::matches(format, text.as_bytes(), 0).is_some_and(|(_, end)| end == text.len()) {
            return text;
        }
    }
    // The other extended keys differ in their version alone.
    String::new()
}

#[test]
fn there_are_many_types_and_each_has_a_name_of_its_own() {
    let ids: BTreeSet<_> = all().chain(contextual()).map(|kind| kind.id).collect();
    assert_eq!(ids.len(), all().chain(contextual()).count(), "an identifier stands twice");
    assert!(ids.len() >= 200, "{}", ids.len());
    for kind in all() {
        assert!(!kind.formats.is_empty(), "{}", kind.id);
        assert!(
            kind.keywords.iter().all(|word| word.len() >= 3 && !word.contains(char::is_uppercase)),
            "{}",
            kind.id
        );
        assert!(kind.formats.len() < usize::from(index::KEYWORD), "{}", kind.id);
    }
    for family in [
        "aws_key",
        "aws_secret",
        "github_token",
        "gitlab_token",
        "slack_token",
        "stripe_key",
        "google_api_key",
        "jwt_secret",
        "private_key",
        "password_in_code",
        "connection_string",
        "generic_api_key",
        "generic_secret",
    ] {
        assert!(all().chain(contextual()).any(|kind| kind.name == family), "{family}");
    }
}

#[test]
fn every_spelling_of_every_type_is_found() {
    let mut missed = Vec::new();
    for kind in all() {
        for format in kind.formats {
            let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
            // A made text may by chance be a sequence or have little in it, as one in many thousand real ones.
            let found = (0..8).any(|_| {
                let secret = example(kind, format, &mut numbers);
                let name = kind.keywords.first().map_or("value", |word| word);
                let text = format!("x = 1\n{name}_x = \"{secret}\"\n");
                secret.is_empty()
                    || scan(&text).iter().any(|finding| finding.span.len() * 2 > secret.len())
            });
            if !found {
                missed.push(format!("{}: {format}", kind.id));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_is_spelt_too_short_or_inside_a_word_is_no_token() {
    for kind in all().filter(|kind| kind.keywords.is_empty() && kind.check == Check::Spelling) {
        for format in kind
            .formats
            .iter()
            .filter(|format| format.ends_with('>') && !format.contains(['+', '-', '{']))
        {
            let whole = example(kind, format, &mut Numbers(77));
            let short = whole.get(..whole.len() - 1).unwrap();
            let own = |text: &str| rules(text).iter().any(|rule| rule == kind.id);
            let shorter_form = kind.formats.iter().any(|other| {
                format::matches(other, short.as_bytes(), 0)
                    .is_some_and(|(_, end)| end == short.len())
            });
            assert!(shorter_form || !own(short), "{}: {short}", kind.id);
        }
        for near_miss in kind.near_misses {
            assert_eq!(rules(near_miss), Vec::<String>::new(), "{near_miss}");
        }
    }
}

/// Each text of `given` has a secret of the rule, and none of `harmless` has any.
pub(super) fn are_told_apart(given: &[(String, &str)], harmless: &[&str]) {
    for (text, rule) in given {
        assert!(rules(text).iter().any(|own| own == rule), "{text}: {:?}", rules(text));
    }
    for text in harmless {
        assert_eq!(rules(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_only_its_place_tells_is_found() {
    let bot = format!(
        "{}.G3xT_q.k2-Vb8nZqW4rT7yU1iO5pA3sD6fGhJ",
        data_encoding::BASE64URL_NOPAD.encode(b"284920174829184756")
    );
    let own = "kT7vQ2mX9wZ";
    let long = "Xk7pQ2vLm9RtB4nW8sYc3JhD6fGzA1uE5oP0iVbN";
    let given = [
        (format!("client.login(\"{bot}\");"), "discord-bot"),
        (format!("bot.run('{bot}')"), "discord-bot"),
        (format!("Authorization: Bot {bot}"), "authorization-header"),
        (format!("Authorization: SSWS 00{long}"), "okta-token"),
        (format!("curl -H 'Authorization: GenieKey {long}' https://h/"), "authorization-header"),
        (
            format!("https://api.telegram.org/bot1834027561:AA{}/getMe", long.get(..33).unwrap()),
            "telegram-bot",
        ),
        (
            format!(
                "ngrok config add-authtoken 2{}_{}",
                long.get(..26).unwrap(),
                long.get(5..26).unwrap()
            ),
            "ngrok-authtoken",
        ),
        (format!("bindpw {own}"), "password"),
        (format!("ldap_default_authtok = {own}"), "password"),
        (format!("Server=db;Uid=sa;Pwd={own};"), "connection-string"),
        (format!("spring.datasource.password={own}"), "password"),
    ];
    are_told_apart(
        &given,
        &[
            "client.login(\"your-token-here\")",
            "bot.run('config.production.json')",
            "Authorization: SSWS ${api_token}",
            "Authorization: SSWS your_api_token",
            "Authorization: see the documentation",
            "https://api.telegram.org/bot<token>/getMe",
            "https://api.telegram.org/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe",
            "ngrok config add-authtoken $NGROK_AUTHTOKEN",
            "bindpw secret",
            "bindpw_file /etc/ldap.secret",
            "Server=db;Uid=sa;Pwd={0};",
            "PWD=/home/dev/app2",
            "spring.datasource.password=${DB_PASSWORD}",
        ],
    );
}

#[test]
fn near_misses_are_no_secrets() {
    for kind in all() {
        for near_miss in kind.near_misses {
            assert_eq!(rules(near_miss), Vec::<String>::new(), "{}: {near_miss}", kind.id);
        }
    }
}

#[test]
fn what_programs_say_about_secrets_is_none() {
    for text in [
        "match token { Token::BorrowedStr(HYPHENATED_UUID_STR9) => {} }",
        "let needs_second_pass = !needs_exact_match(percentage1);",
        "pub pw_passwd: *const c_char8,",
        "pub const WINHTTP_OPTION_PASSWORD: u32 = 4097u32;",
        "pub const EAS_BLANK_PASSWORD: windows_sys::core::HRESULT = 0x80550007_u32 as _;",
        "pub const PrivateKeyAttestMask: X509CertificateTemplatePrivateKeyFlag = 12288i32;",
        "use windows::Authorization::{GetNamedSecurityInfoW, SE_FILE_OBJECT1};",
        "let mut to_pass = \"-\".to_owned1();",
        "\"is specified. Pass \"\n    \"purge_allocator_interval=-1 to disable\"",
        "// click: \"-----BEGIN PRIVATE KEY-----\"\nconsistent!(click_1, r\"-----BEGIN PRIVATE KEY-----\"); let more = words;",
        "http://user:pass%20word@example.com/path",
        "pub ApplyControlToken: SpApplyControlTokenFn2,",
        "userid, acct, passwd = netrc1.authenticators(host)",
        "username, have_password, password = userinfo.partition(b':')",
        "self._authkey = process1.AuthenticationString(authkey)",
        "pub const CANNOT_DECRYPT_PASSWORD: i32 = -2147212282i32;",
    ] {
        let found = Detector::default().scan(text.as_bytes());
        assert!(found.is_empty(), "{text}: {found:?}");
    }
    for text in [
        "password: str = \"kT7#vQ2mX9!z\"",
        "PASSWORD=!kT7#vQ2mX9",
        "password: kT7#vQ2mX9!z",
        "DB_PASSWORD='kT7#v'\"Q2mX9!z\"",
        "http://user:kT7%23vQ2mX9@db.internal/path",
    ] {
        assert_eq!(Detector::default().scan(text.as_bytes()).len(), 1, "{text}");
    }
}

/// Secrets that a redactor must hide, with what surrounds them.
fn planted() -> Vec<(String, &'static str)> {
    // Put together here so that no scanner takes this file for a leak.
    let body = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDf";
    vec![
        (format!("git push https://x:ghp_{body}@h/a\n"), body),
        (format!("token ghp_{body} is old\n"), body),
        (format!("AWS=AKIA{}\n", "QYLPMN5HHHFPZAM2"), "QYLPMN5HHHFPZAM2"),
        ("DB_PASSWORD='kT7#vQ2mX9!z'\n".into(), "kT7#vQ2mX9!z"),
        ("DB_PASSWORD=\"kT7#vQ\n2mX9!z\"\n".into(), "2mX9!z"),
        ("curl -s \\\n  -u deploy:kT7vQ2mX9z https://h\n".into(), "kT7vQ2mX9z"),
        (
            format!("-----BEGIN PRIVATE KEY-----\n{key}\n{key}\n-----END PRIVATE KEY-----\n"),
            "MIIEvQIBADANBgkqhkiG9w0BAQEF",
        ),
        ("postgres://app:kT7vQ2mX9z@db/app\n".into(), "kT7vQ2mX9z"),
        ("the word opensesame42 is known\n".into(), "opensesame42"),
        ("variable \"db_password\" {\n  default = \"kT7vQ2mX9z\"\n}\n".into(), "kT7vQ2mX9z"),
        ("kind: Secret\ndata:\n  word: a1Q3dlBhc3N3MHJkIQ==\n".into(), "a1Q3dlBhc3N3MHJkIQ"),
        (
            "apiVersion: v1\ndata:\n  word: a1Q3dlBhc3N3MHJkIQ==\nkind: Secret\n".into(),
            "a1Q3dlBhc3N3MHJkIQ",
        ),
        (
            "{\n  \"data\": {\n    \"word\": \"a1Q3dlBhc3N3MHJkIQ==\"\n  },\n  \"kind\": \"Secret\"\n}\n"
                .into(),
            "a1Q3dlBhc3N3MHJkIQ",
        ),
    ]
}

fn redactor() -> StreamRedactor {
    let known = vec![Known { name: "vault".into(), value: b"opensesame42".to_vec() }];
    StreamRedactor::new(RedactorOptions { known, ..RedactorOptions::default() })
}

fn streamed(text: &[u8], cuts: &[usize]) -> Vec<u8> {
    let (mut redactor, mut out, mut from) = (redactor(), Vec::new(), 0);
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
    cuts.sort_unstable();
    for cut in cuts.into_iter().chain([text.len()]) {
        redactor.push(&text[from..cut], &mut out);
        from = cut;
    }
    redactor.finish(&mut out);
    out
}

fn shows(out: &[u8], secret: &str) -> bool {
    memchr::memmem::find(out, secret.as_bytes()).is_some()
}

#[test]
fn each_planted_secret_is_hidden_however_its_bytes_arrive() {
    for (text, secret) in planted() {
        let whole = streamed(text.as_bytes(), &[]);
        assert!(!shows(&whole, secret), "{}", String::from_utf8_lossy(&whole));
        assert!(shows(&whole, "[REDACTED:"), "{}", String::from_utf8_lossy(&whole));
        for cut in 0..text.len() {
            assert_eq!(streamed(text.as_bytes(), &[cut]), whole, "{text} cut at {cut}");
        }
    }
}

#[test]
fn a_line_without_an_end_is_cut_where_no_secret_stands() {
    for (text, secret) in planted().into_iter().filter(|(text, _)| !text.trim_end().contains('\n'))
    {
        for before in [(1 << 17) - (1 << 15) - 20, (1 << 17) - 30, (1 << 17) - 3, 1 << 18] {
            let line = format!(
                "{} {} {}",
                "ab ".repeat(before / 3),
                text.trim_end(),
                "cd ".repeat(1 << 16)
            );
            let whole = streamed(line.as_bytes(), &[]);
            assert!(!shows(&whole, secret), "{text} after {before}");
            assert_eq!(
                streamed(line.as_bytes(), &[before - 1, before + 9, before + 70]),
                whole,
                "{text}"
            );
        }
    }
}

#[test]
fn a_secret_longer_than_any_buffer_is_hidden_with_bounded_memory() {
    let mut redactor = redactor();
    let mut out = Vec::new();
    redactor.push(b"-----BEGIN PRIVATE KEY-----\n", &mut out);
    for _ in 0..4000 {
        redactor.push(b"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDf\n", &mut out);
        assert!(redactor.held() <= 1 << 19, "{}", redactor.held());
    }
    redactor.push(b"-----END PRIVATE KEY-----\nafter\n", &mut out);
    redactor.finish(&mut out);
    let out = String::from_utf8(out).unwrap();
    assert!(out.starts_with("[REDACTED:private_key:") && out.ends_with("]\nafter\n"), "{out}");
    assert_eq!(out.lines().count(), 2);
}

#[test]
fn what_is_no_secret_passes_unchanged_and_what_was_redacted_stays() {
    let text = "fn main() {\n    let token = next(tokenizer);\n}\nIt's a password: \"\" and max_tokens=5\r\nlast";
    assert_eq!(streamed(text.as_bytes(), &[3, 40]), text.as_bytes());
    for (text, _) in planted() {
        let once = streamed(text.as_bytes(), &[]);
        assert_eq!(streamed(&once, &[]), once, "{text}");
        let strict = crate::redact::redact(std::str::from_utf8(&once).unwrap()).into_owned();
        assert_eq!(crate::redact::redact(&strict), strict);
    }
}

#[test]
fn hostile_text_takes_linear_work() {
    for unit in [
        "token",
        "key=",
        "eyJ",
        "eyJ-",
        "glpat-",
        "://",
        "a:b@",
        "-----BEGIN ",
        "kind: secret\n",
        "\"kty\"",
        "variable \"token\" {",
        "curl -u ",
        "AAAA",
        "%41",
        "a1b2c3d4",
        "password=\"",
        "token: '\n",
        "token=\"{\"",
        "echo a | sudo -s ",
        "sk-proj-",
        "Q~",
        "discord=",
        "Authorization: ",
        "\\\n",
        "\r",
    ] {
        let text = unit.repeat(400_000 / unit.len());
        let _ = Detector::default().scan(text.as_bytes());
        let _ = streamed(text.as_bytes(), &[]);
    }
}

#[test]
fn values_are_found_however_they_are_given_to_a_name() {
    let password = "kT7#vQ2mX9!wZ";
    let token = "q8Wx2kd9sKx03mVnZ1rTb47Y";
    for (text, rule) in [
        (format!("ds.setPassword(\"{password}\");"), "password"),
        (format!("builder.password(\"{password}\")"), "password"),
        (format!("define('DB_PASSWORD', '{password}');"), "password"),
        (format!("os.environ.setdefault('API_SECRET', '{token}')"), "generic-secret"),
        (format!("const dbPassword string = \"{password}\""), "password"),
        (format!("Dim password As String = \"{password}\""), "password"),
        (format!("const API_KEY: &'static str = \"{token}\";"), "generic-api-key"),
        (format!("public const string ClientSecret = @\"{token}\";"), "generic-secret"),
        (format!("SECRET_KEY = b'{token}'"), "generic-api-key"),
        (format!("- name: DB_PASSWORD\n  value: {password}\n"), "password"),
        (format!("{{\"name\": \"API_KEY\", \"value\": \"{token}\"}}"), "generic-api-key"),
        (format!("kind: Secret\nstringData:\n  pw: {token}\n"), "kubernetes-secret"),
        (format!("ENV DB_PASSWORD {password}"), "password"),
        (format!("psk=\"{password}\""), "password"),
        (format!("ALTER USER a IDENTIFIED BY '{password}';"), "password"),
        (format!("ConvertTo-SecureString '{password}' -AsPlainText -Force"), "password"),
        (format!("ssh-keygen -N '{password}' -f key"), "password"),
        (format!("Cookie: lang=en; sessionid={token}"), "cookie"),
        ("password: 'Summer2024!'".to_owned(), "password"),
        (format!("{{\"args\": [\"--password\", \"{password}\"]}}"), "password"),
        (format!("{{password, \"{password}\"}}"), "password"),
        (format!("API_TOKEN ?= {token}"), "generic-secret"),
        (format!("API key: {token}"), "generic-api-key"),
        (format!("https://maps.example/js?key={token}"), "generic-api-key"),
        (format!("password: Final[str] = \"{password}\""), "password"),
        (format!("session({{ secret: '{password}' }})"), "generic-secret"),
        (format!("admin_pw = '{password}'"), "password"),
        (format!("Kennwort: {password}"), "password"),
        (format!("contraseña: {password}"), "password"),
        (format!("$dbpass = '{password}';"), "password"),
        (format!("put --type SecureString --value '{password}'"), "password"),
        (format!("CREATE USER a IDENTIFIED BY {password};"), "password"),
        (format!("[\"sshpass\", \"-p\", \"{password}\"]"), "password"),
        ("net user svc kT7vQ2mX9wZ /add".to_owned(), "password"),
        ("htpasswd -bc file admin kT7vQ2mX9wZ".to_owned(), "password"),
    ] {
        assert!(rules(&text).iter().any(|own| own == rule), "{text}: {:?}", rules(&text));
    }
    for text in [
        "validatePassword(\"at least 8 characters!\")",
        "t('password.required', 'Please enter 8 or more characters!')",
        "let key: Seed<'_> = private_key: Curve25519SeedBin<'_>",
        "\"password\": \"%F0%9F%92%A9\"",
        "\"password\": \"%20!%22$%&'()*+,-.%3A%3B%3C\"",
        "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db\n",
        "Cookie: lang=en; csrftoken=q8Wx2kd9sKx03mVnZ1rTb47Y",
        "#define SUITE_PSK_WITH_AES_128_CCM \"PSK-WITH-AES-128-CCM\"",
        "my $pass = $self->{bind_pass};",
        "let s:passwd = s:hosts[name].passwd",
        "userdata.password = password_ptr;",
        "application/x.pkpass:*.pkpass",
        "'secret': 'V1SecretVolumeSource',",
        "'image_pull_secrets': 'list[V1LocalObjectReference]',",
        "\"pattern\": \"arn:aws:secretsmanager:eu-west-1:secret:AmazonMetrics3-x\"",
        "'proxy_pass': 'TOOL_PROXY_PASSWORD',",
        "authorization = messages.MessageField('AuthorizationConfigV1', 1)",
        "Next page token: eav1OzQB0OM8rLdGXOEsyQWSGk",
        "complete \"username= passphrase= password= version=\"",
        "[['-p', '--password', '--use-random-password1']]",
        "PASSWORD = \"%!*'();:@&=+$,/?#[] \"",
        "kind: SealedSecret\nspec:\n  encryptedData:\n    password: AgBy3i4OJSWKPiTySYZZA9rO43cGDEqUpbxm0fY2Fj3fHVx2S0cDTDXVTKuDUaFuHyr84",
        "http://a:foo(b]c@d:2/",
    ] {
        assert_eq!(rules(text), Vec::<String>::new(), "{text}");
    }
}

/// Short pieces are read line by line, long ones looked over first: nobody may see the difference.
#[test]
fn a_long_text_is_redacted_alike_at_once_and_byte_by_byte() {
    let mut text = String::new();
    for (number, (planted, _)) in planted().iter().enumerate() {
        text.push_str(&"a line with nothing in it, and another one\r\n".repeat(number * 7 % 40));
        text.push_str("this one goes on \\\nand on \\\r\n");
        text.push_str(planted);
        text.push_str(&planted.replace('\n', "\r\n"));
        let encoded = data_encoding::BASE64.encode(planted.as_bytes());
        text.push_str(&format!("{encoded} password=kT7#vQ2mX9!wZ {planted}"));
        // What stands in the line in which a secret of several lines ends.
        text.push_str(&format!("{}{encoded}\n", planted.trim_end()));
        text.push_str(&format!("{}curl -u deploy:kT7vQ2mX9z https://h\n", planted.trim_end()));
        text.push_str("\nthe key of the matter is %41%42 no token\n");
    }
    text.push_str(&"x".repeat(200_000));
    text.push_str(" password=kT7#vQ2mX9!wZ\n");
    let at_once = streamed(text.as_bytes(), &[]);
    let every: Vec<usize> = (1..text.len()).collect();
    assert!(at_once == streamed(text.as_bytes(), &every), "split changes what is shown");
    assert!(!shows(&at_once, "kT7#vQ2mX9!wZ"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_mixture_is_redacted_alike_however_it_is_split(
        parts in prop::collection::vec((0_usize..14, "[ -~\\n]{0,30}"), 0..12),
        cuts in prop::collection::vec(any::<usize>(), 0..20),
    ) {
        let planted = planted();
        let mut text = String::new();
        for (number, noise) in &parts {
            text.push_str(noise);
            text.push('\n');
            text.push_str(planted.get(*number).map_or("plain text\n", |(text, _)| text));
        }
        let whole = streamed(text.as_bytes(), &[]);
        prop_assert_eq!(streamed(text.as_bytes(), &cuts), whole.clone(), "{}", text);
        // What is spelt as a token, or known, is hidden whatever stands around it.
        for secret in ["a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "QYLPMN5HHHFPZAM2", "opensesame42"] {
            prop_assert!(!shows(&whole, secret), "{} in {}", secret, text);
        }
    }

    #[test]
    fn any_bytes_are_scanned_and_every_place_is_in_order(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut end = 0;
        for finding in Detector::default().scan(&bytes) {
            prop_assert!(finding.span.start >= end && finding.span.end <= bytes.len());
            end = finding.span.end;
        }
        prop_assert_eq!(streamed(&bytes, &[1, 7, 100]), streamed(&bytes, &[]));
    }
}
