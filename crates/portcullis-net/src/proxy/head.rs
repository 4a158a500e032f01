//! The head of a request. Owns which bytes are one; nothing is guessed, because two programs that guess differently are what
//! smuggling is made of.

/// The most bytes of a head.
pub(super) const LONGEST_HEAD: usize = 32 << 10;

/// The most headers.
const MOST_HEADERS: usize = 100;

/// Headers that concern this connection alone, and are not passed on.
const OF_THE_CONNECTION: &[&str] = &[
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "upgrade",
];

/// What a request asks for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Form {
    /// A tunnel to a host, as it is written, and a port.
    Connect(String, u16),
    /// What is at a URL.
    Absolute(String),
}

/// What comes behind the head.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Body {
    /// So many bytes.
    Length(u64),
    /// Parts that each say how long they are.
    Chunked,
}

/// The head of a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Head {
    /// The method.
    pub method: String,
    /// What it asks for.
    pub form: Form,
    /// The headers that are passed on, `Host` not among them.
    pub headers: Vec<(String, Vec<u8>)>,
    /// What `Host` says.
    pub host: Option<String>,
    /// What comes behind it.
    pub body: Body,
    /// What `Proxy-Authorization` says.
    pub authorization: Option<Vec<u8>>,
}

/// Why something is no head.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadHead {
    /// It is longer than any head.
    #[error("the head of the request is too long")]
    TooLong,
    /// A line does not end as it should.
    #[error("a line of the request does not end with CR and LF")]
    LineEnd,
    /// The first line is no request.
    #[error("the first line is not a method, a target and a version, each behind one blank")]
    RequestLine,
    /// It is of another version.
    #[error("the version is not HTTP/1.1 or HTTP/1.0")]
    Version,
    /// The target is not one for a proxy.
    #[error("the target is neither `host:port` for `CONNECT` nor a whole URL")]
    Target,
    /// A header is none.
    #[error("a header is malformed")]
    Header,
    /// There is more than one `Host`, or none.
    #[error("the request does not have exactly one `Host`")]
    Host,
    /// Its length is said twice, or not in digits.
    #[error("the length of the body is said twice or is no number")]
    Length,
    /// It is encoded in a way that programs disagree about.
    #[error(
        "`Transfer-Encoding` is something else than `chunked` alone, or stands beside a length"
    )]
    Encoding,
    /// `Connection` names headers that are not of the connection.
    #[error("`Connection` names a header that is meant for the server")]
    Connection,
    /// A tunnel has no body.
    #[error("a `CONNECT` has a body")]
    ConnectBody,
}

/// Reads a head, up to and with the empty line; `None` where that is not there yet.
///
/// # Errors
/// [`BadHead`] as soon as it can be none.
pub fn parse_head(bytes: &[u8]) -> Option<Result<(Head, usize), BadHead>> {
    let window = bytes.get(..LONGEST_HEAD).unwrap_or(bytes);
    let end = window.windows(4).position(|four| four == b"\r\n\r\n");
    let Some(end) = end else {
        if let Some(before) = window.iter().position(|byte| *byte == b'\n')
            && before.checked_sub(1).and_then(|at| window.get(at)) != Some(&b'\r')
        {
            return Some(Err(BadHead::LineEnd));
        }
        return (bytes.len() >= LONGEST_HEAD).then_some(Err(BadHead::TooLong));
    };
    let text = window.get(..end).unwrap_or_default();
    Some(whole_head(text).map(|head| (head, end + 4)))
}

fn whole_head(text: &[u8]) -> Result<Head, BadHead> {
    let mut lines = lines(text)?.into_iter();
    let first = lines.next().ok_or(BadHead::RequestLine)?;
    let first = std::str::from_utf8(first).map_err(|_| BadHead::RequestLine)?;
    let mut words = first.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(BadHead::RequestLine);
    };
    if method.is_empty() || !method.bytes().all(is_token) || target.is_empty() {
        return Err(BadHead::RequestLine);
    }
    if !target.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(BadHead::RequestLine);
    }
    let is_old = match version {
        "HTTP/1.1" => false,
        "HTTP/1.0" => true,
        _ => return Err(BadHead::Version),
    };
    let form = form(method, target)?;
    let mut head = Head {
        method: method.to_owned(),
        form,
        headers: Vec::new(),
        host: None,
        body: Body::Length(0),
        authorization: None,
    };
    let (mut length, mut encoding) = (None, None);
    for (number, line) in lines.enumerate() {
        if number == MOST_HEADERS {
            return Err(BadHead::TooLong);
        }
        let (name, value) = header(line)?;
        match name.as_str() {
            "host" => {
                let value = std::str::from_utf8(value).map_err(|_| BadHead::Host)?;
                if head.host.replace(value.to_owned()).is_some() {
                    return Err(BadHead::Host);
                }
                continue;
            }
            "content-length" => {
                let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
                let number = std::str::from_utf8(value).ok().filter(|_| digits);
                let number = number.and_then(|number| number.parse::<u64>().ok());
                if length.replace(number.ok_or(BadHead::Length)?).is_some() {
                    return Err(BadHead::Length);
                }
                continue;
            }
            "transfer-encoding" => {
                if value != b"chunked" || is_old || encoding.replace(()).is_some() {
                    return Err(BadHead::Encoding);
                }
                continue;
            }
            "proxy-authorization" => {
                let before = head.authorization.replace(value.to_vec());
                before.map_or(Ok(()), |_| Err(BadHead::Header))?;
            }
            "connection" | "proxy-connection" => {
                let value = std::str::from_utf8(value).map_err(|_| BadHead::Connection)?;
                let ours = |word: &str| {
                    let word = word.trim().to_ascii_lowercase();
                    word.is_empty() || word == "close" || OF_THE_CONNECTION.contains(&word.as_str())
                };
                if !value.split(',').all(ours) {
                    return Err(BadHead::Connection);
                }
            }
            _ => {}
        }
        if !OF_THE_CONNECTION.contains(&name.as_str()) {
            head.headers.push((name, value.to_vec()));
        }
    }
    if head.host.is_none() && !is_old {
        return Err(BadHead::Host);
    }
    head.body = match (length, encoding) {
        (Some(_), Some(())) => return Err(BadHead::Encoding),
        (Some(length), None) => Body::Length(length),
        (None, Some(())) => Body::Chunked,
        (None, None) => Body::Length(0),
    };
    if matches!(head.form, Form::Connect(..)) && head.body != Body::Length(0) {
        return Err(BadHead::ConnectBody);
    }
    Ok(head)
}

/// The lines, none of which has a CR, a LF or a NUL within.
fn lines(text: &[u8]) -> Result<Vec<&[u8]>, BadHead> {
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        let Some(at) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n' | 0)) else {
            lines.push(rest);
            return Ok(lines);
        };
        let (line, after) = rest.split_at(at);
        rest = after.strip_prefix(b"\r\n").ok_or(BadHead::LineEnd)?;
        lines.push(line);
    }
}

fn form(method: &str, target: &str) -> Result<Form, BadHead> {
    if method == "CONNECT" {
        let (host, port) = target.rsplit_once(':').ok_or(BadHead::Target)?;
        let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let port = port.parse().ok().filter(|_| digits).ok_or(BadHead::Target)?;
        if host.is_empty() || host.contains(['/', '@', '?', '#', '\\']) {
            return Err(BadHead::Target);
        }
        return Ok(Form::Connect(host.to_owned(), port));
    }
    let is_absolute = target.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("http://"))
        || target.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"));
    if is_absolute { Ok(Form::Absolute(target.to_owned())) } else { Err(BadHead::Target) }
}

/// A header: its name in lower case, and its value without the blanks around it.
fn header(line: &[u8]) -> Result<(String, &[u8]), BadHead> {
    let at = line.iter().position(|byte| *byte == b':').ok_or(BadHead::Header)?;
    let (name, value) = line.split_at(at);
    let value = value.get(1..).unwrap_or_default();
    let name = std::str::from_utf8(name).map_err(|_| BadHead::Header)?;
    // A blank before the colon, or at the beginning, is how a header is hidden from some.
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(BadHead::Header);
    }
    if value.iter().any(|byte| *byte < b' ' && *byte != b'\t' || *byte == 0x7f) {
        return Err(BadHead::Header);
    }
    Ok((name.to_ascii_lowercase(), value.trim_ascii()))
}

/// A character of a method or of a header's name (RFC 9110 §5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Head, BadHead> {
        parse_head(text.as_bytes()).unwrap().map(|(head, _)| head)
    }

    #[test]
    fn a_head_is_read_and_what_is_of_the_connection_stays_here() {
        let head = parsed(
            "POST http://example.com/x HTTP/1.1\r\nHost: example.com\r\nContent-Length: 3\r\nConnection: keep-alive, TE\r\n\
             TE: trailers\r\nKeep-Alive: 5\r\nUpgrade: h2c\r\nProxy-Authorization: Basic eA==\r\nX-A:  b \r\n\r\n",
        )
        .unwrap();
        assert_eq!(head.headers, [("x-a".to_owned(), b"b".to_vec())]);
        assert_eq!(head.body, Body::Length(3));
        assert_eq!(head.authorization.as_deref(), Some(&b"Basic eA=="[..]));
        assert_eq!(head.form, Form::Absolute("http://example.com/x".to_owned()));
        let head = parsed("CONNECT [2606:4700::1]:443 HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        assert_eq!(head.form, Form::Connect("[2606:4700::1]".to_owned(), 443));
        assert_eq!(parse_head(b"GET http://a/ HTTP/1.1\r\nHost: a\r\n"), None);
    }

    #[test]
    fn what_programs_could_read_differently_is_refused() {
        let with = |header: &str| {
            format!(
                "POST http://a.example.com/ HTTP/1.1\r\nHost: a.example.com\r\n{header}\r\n\r\n"
            )
        };
        for (header, expected) in [
            ("Content-Length: 3\r\nTransfer-Encoding: chunked", BadHead::Encoding),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", BadHead::Encoding),
            ("Transfer-Encoding: gzip, chunked", BadHead::Encoding),
            ("Transfer-Encoding: Chunked", BadHead::Encoding),
            ("Transfer-Encoding: xchunked", BadHead::Encoding),
            ("Transfer-Encoding: chunked, identity", BadHead::Encoding),
            ("Transfer-Encoding : chunked", BadHead::Header),
            (" Transfer-Encoding: chunked", BadHead::Header),
            ("X: y\r\n Transfer-Encoding: chunked", BadHead::Header),
            ("X\tY: z", BadHead::Header),
            (": x", BadHead::Header),
            ("X", BadHead::Header),
            ("X: a\x0bb", BadHead::Header),
            ("X: a\0b", BadHead::LineEnd),
            ("X: a\nY: b", BadHead::LineEnd),
            ("X: a\rY: b", BadHead::LineEnd),
            ("Content-Length: 3\r\nContent-Length: 3", BadHead::Length),
            ("Content-Length: 3, 3", BadHead::Length),
            ("Content-Length: +3", BadHead::Length),
            ("Content-Length: 0x3", BadHead::Length),
            ("Content-Length: ", BadHead::Length),
            ("Content-Length: 99999999999999999999999", BadHead::Length),
            ("Host: b.example.com", BadHead::Host),
            ("Connection: close, host", BadHead::Connection),
            ("Connection: authorization", BadHead::Connection),
            ("Proxy-Authorization: a\r\nProxy-Authorization: b", BadHead::Header),
        ] {
            assert_eq!(parsed(&with(header)), Err(expected), "{header:?}");
        }
        for (line, expected) in [
            ("GET  http://a/ HTTP/1.1", BadHead::RequestLine),
            ("GET http://a/ HTTP/1.1 ", BadHead::RequestLine),
            ("GET\thttp://a/ HTTP/1.1", BadHead::RequestLine),
            ("GET http://a/ x HTTP/1.1", BadHead::RequestLine),
            ("G(T http://a/ HTTP/1.1", BadHead::RequestLine),
            ("GET http://a/ HTTP/2.0", BadHead::Version),
            ("GET http://a/ http/1.1", BadHead::Version),
            ("GET http://a/", BadHead::RequestLine),
            ("GET / HTTP/1.1", BadHead::Target),
            ("GET ftp://a/ HTTP/1.1", BadHead::Target),
            ("CONNECT http://a/ HTTP/1.1", BadHead::Target),
            ("CONNECT a HTTP/1.1", BadHead::Target),
            ("CONNECT a:b HTTP/1.1", BadHead::Target),
            ("CONNECT a:99999 HTTP/1.1", BadHead::Target),
            ("CONNECT a@b:443 HTTP/1.1", BadHead::Target),
            ("CONNECT a/b:443 HTTP/1.1", BadHead::Target),
            ("CONNECT :443 HTTP/1.1", BadHead::Target),
        ] {
            assert_eq!(parsed(&format!("{line}\r\nHost: a\r\n\r\n")), Err(expected), "{line:?}");
        }
        assert_eq!(parsed("GET http://a/ HTTP/1.1\r\n\r\n"), Err(BadHead::Host));
        assert_eq!(
            parsed("CONNECT a:443 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n"),
            Err(BadHead::ConnectBody)
        );
        assert_eq!(parse_head(b"GET http://a/ HTTP/1.1\nHost: a\n\n"), Some(Err(BadHead::LineEnd)));
        assert_eq!(parse_head(&vec![b'x'; LONGEST_HEAD]), Some(Err(BadHead::TooLong)));
        let many = format!("GET http://a/ HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(101));
        assert_eq!(parsed(&many), Err(BadHead::TooLong));
    }
}
