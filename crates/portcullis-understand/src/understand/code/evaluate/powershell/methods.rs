//! What is reached of a thing: `$thing.Method()`. Owns the methods of texts, lists, processes, clients of the network and
//! things of COM.

use portcullis_syntax::{Span, tree::CallKind};

use super::super::{
    Evaluator,
    calls::tainted,
    operators::{letters, replace, split},
    value::{Object, Value, part, unknown_of},
};
use crate::{
    effect::{Argument, WriteMode},
    programs::host::Host,
    text::{Piece, Taint, Text},
};

/// Whether a name by itself is that of a method.
pub(super) fn is_method(name: &str) -> bool {
    matches!(
        name,
        "delete"
            | "kill"
            | "remove"
            | "stop"
            | "terminate"
            | "close"
            | "dispose"
            | "tostring"
            | "trim"
            | "toupper"
            | "tolower"
            | "refresh"
            | "invoke"
            | "moveto"
            | "copyto"
    )
}

impl Evaluator<'_, '_> {
    /// A method of what an expression names.
    pub(in super::super) fn method(
        &mut self,
        holder: &Value,
        name: &str,
        given: &[Value],
        span: Span,
    ) -> Value {
        // learn.microsoft.com, `EventLogSession.ClearLog`.
        if name == "clearlog" {
            self.walk.note("code.powershell.guard", span);
        }
        // `$PSCmdlet.ShouldProcess(…)` (learn.microsoft.com, "Everything you wanted to know about ShouldProcess").
        if name == "shouldprocess" && self.is_rehearsed() {
            return Value::known("False");
        }
        // What is changed where it stands is changed by its name.
        if let Value::Type(class) = holder
            && &**class == "array"
            && name == "reverse"
            && let Some(Value::List(values)) = given.first()
        {
            let reversed: Vec<Value> = values.iter().rev().cloned().collect();
            self.reverse_named(values, Value::List(reversed.into()), span);
            return Value::Nothing;
        }
        if let Value::Object(number) = holder
            && matches!(
                name,
                "add"
                    | "addrange"
                    | "append"
                    | "appendline"
                    | "push"
                    | "enqueue"
                    | "insert"
                    | "addscript"
                    | "addcommand"
                    | "addargument"
                    | "addparameter"
            )
        {
            self.grow(*number, name, given, span);
            return holder.clone();
        }
        // Of what a thing is nothing is known: a method that only the script's own classes have is theirs.
        if let Value::Text(text) = holder
            && text.has_unknown()
            && let Some(at) = self.method_of_any(name)
        {
            let ways = self.call_own(at, holder, given, span);
            return self.one_of("method", span, ways);
        }
        self.method_of(holder, name, given, span)
    }

    /// Gives all names of a list another one.
    fn reverse_named(&mut self, list: &std::rc::Rc<[Value]>, reversed: Value, span: Span) {
        for name in self.state.names_of(list) {
            self.set_variable(&name, vec![reversed.clone()], span);
        }
    }

    fn grow(&mut self, number: usize, name: &str, given: &[Value], _span: Span) {
        let mut more = Text::default();
        for value in given {
            more.append(&self.text(value));
        }
        let is_map = self.state.objects.get(number).is_some_and(|it| {
            it.class == "map" || it.class.contains("hashtable") || it.class.contains("dictionary")
        });
        if is_map && let [key, value] = given {
            let key = self.text(key).display().to_ascii_lowercase();
            self.state.set_part(number, &key, value.clone());
            return;
        }
        self.state.touches(number);
        let Some(object) = self.state.objects.get_mut(number) else { return };
        if name == "appendline" {
            more.push_known("\n");
        }
        if name.starts_with("add") && object.class.contains("powershell") {
            object.made_of.push_known(if name == "addcommand" || name == "addscript" {
                "\n"
            } else {
                " "
            });
        }
        object.made_of.append(&more);
        if object.items.len() < super::super::ELEMENTS {
            object.items.extend(given.iter().flat_map(Value::elements));
        } else {
            self.state.is_cut = true;
        }
    }

    pub(super) fn method_of(
        &mut self,
        holder: &Value,
        name: &str,
        given: &[Value],
        span: Span,
    ) -> Value {
        match holder {
            Value::Type(class) => {
                let class = class.clone();
                if let Some(encoding) = class.strip_prefix("text.encoding ") {
                    let encoding = encoding.to_owned();
                    return self.encoded(&encoding, name, given);
                }
                self.static_method(&class, name, given, span)
            }
            Value::Block(_) => match name {
                "invoke" | "invokereturnasis" | "begininvoke" | "invokewithcontext" => {
                    let list = Value::List(given.to_vec().into());
                    let given = super::programs::positional(Some(&list), span);
                    let ways = self.invoke(holder, CallKind::Value, given, None, span);
                    self.one_of("invoked", span, ways)
                }
                "getnewclosure" | "getsteppablepipeline" => holder.clone(),
                _ => Value::Text(self.text(holder)),
            },
            Value::Object(number) => self.object_method(*number, name, given, span),
            Value::List(_) | Value::Text(_) if name == "foreach" => {
                let ways = self.for_each_of(&holder.elements(), given, span);
                self.one_of("each", span, ways)
            }
            Value::List(_) | Value::Text(_) if name == "where" => holder.clone(),
            Value::List(values) => match name {
                "contains" | "indexof" | "gettype" | "equals" => Value::unknown("a condition"),
                "clone" => holder.clone(),
                _ => {
                    let each: Vec<Value> = values
                        .iter()
                        .map(|value| self.method_of(value, name, given, span))
                        .collect();
                    Value::of(each)
                }
            },
            Value::Text(text) => {
                let text = text.clone();
                self.text_method(&text, name, given, span)
            }
            Value::Nothing => Value::Nothing,
        }
    }

    /// `.ForEach({ … })`, `.ForEach('Delete', $true)`: a block for each of several, or a method or a part by its name.
    fn for_each_of(&mut self, elements: &[Value], given: &[Value], span: Span) -> Vec<Value> {
        let (does, more) = given.split_first().unwrap_or((&Value::Nothing, &[]));
        let does = does.clone();
        self.each(elements, span, |it, element| {
            if let Value::Text(_) = does {
                let name = it.text(&does).display().to_ascii_lowercase();
                if more.is_empty() {
                    return vec![it.member_or_method(&element, &name, span)];
                }
                return vec![it.method_of(&element, &name, more, span)];
            }
            it.state.set("_", vec![element]);
            it.invoke(&does, CallKind::Here, Vec::new(), None, span)
        })
    }

    /// What bytes say, or a text in bytes.
    fn encoded(&mut self, encoding: &str, name: &str, given: &[Value]) -> Value {
        let text = given.first().map(|it| self.bytes(it)).unwrap_or_default();
        if name != "getstring" {
            return Value::Text(text);
        }
        let bytes = match (text.as_known(), text.as_binary()) {
            (Some(known), _) => known.as_bytes().to_vec(),
            (None, Some(bytes)) => bytes.to_vec(),
            (None, None) => return Value::Text(text),
        };
        let is_wide = encoding == "unicode" || encoding.contains("utf16");
        let decoded = if is_wide {
            let units = bytes.chunks_exact(2).map(|pair| {
                u16::from_le_bytes([
                    pair.first().copied().unwrap_or(0),
                    pair.get(1).copied().unwrap_or(0),
                ])
            });
            char::decode_utf16(units).map(|it| it.unwrap_or('\u{fffd}')).collect::<String>()
        } else {
            bytes.iter().map(|byte| char::from(*byte)).collect::<String>()
        };
        let decoded = match (is_wide, text.as_known()) {
            (false, Some(known)) => known.to_owned(),
            _ => decoded,
        };
        Value::Text(text.derive([Piece::Known(decoded)]))
    }

    /// Numbers in a list as the bytes that they are.
    fn bytes(&self, value: &Value) -> Text {
        let Value::List(values) = value else { return self.text(value) };
        let bytes: Option<Vec<u8>> =
            values.iter().map(|it| it.as_number().and_then(|it| u8::try_from(it).ok())).collect();
        match bytes {
            Some(bytes) => match String::from_utf8(bytes) {
                Ok(known) => {
                    let mut text = Text::known(known);
                    text.taint = text.taint.with(Taint::DECODED);
                    text
                }
                Err(error) => Text::binary("bytes", error.into_bytes()),
            },
            None => self.text(value),
        }
    }

    /// A password that a file keeps encrypted is opened.
    pub(super) fn opens_kept(&mut self, kept: &Text, span: Span) {
        if !kept.sources.is_empty() {
            self.walk.note("windows.secrets.read", span);
        }
    }

    fn text_method(&mut self, text: &Text, name: &str, given: &[Value], span: Span) -> Value {
        let argument = |it: &Self, at: usize| given.get(at).map(|value| it.text(value));
        let number = |at: usize| {
            given.get(at).and_then(Value::as_number).and_then(|it| usize::try_from(it).ok())
        };
        let known = text.as_known();
        let shaped = |shaped: Option<String>| match shaped {
            Some(shaped) => Value::Text(text.derive([Piece::Known(shaped)])),
            None => Value::Text(unknown_of(text, name)),
        };
        match name {
            "getnetworkcredential" => {
                self.opens_kept(text, span);
                Value::Text(tainted(unknown_of(text, "a password"), Taint::SECRET))
            }
            "replace" => {
                let from = argument(self, 0).unwrap_or_default();
                let to = argument(self, 1).unwrap_or_default();
                let quoted = match from.as_known() {
                    Some(known) => from.derive([Piece::Known(escape(known))]),
                    None => from,
                };
                Value::Text(replace(text, &quoted, &to))
            }
            "split" => {
                let by = argument(self, 0).map(|by| match by.as_known() {
                    Some(known) => by.derive([Piece::Known(escape(known))]),
                    None => by,
                });
                split(text, by.as_ref())
            }
            "tochararray" => letters(text),
            "tolower" | "tolowerinvariant" => shaped(known.map(str::to_lowercase)),
            "toupper" | "toupperinvariant" => shaped(known.map(str::to_uppercase)),
            "trim" | "trimstart" | "trimend" if given.is_empty() => {
                shaped(known.map(|it| it.trim().to_owned()))
            }
            "trim" | "trimstart" | "trimend" => {
                let marks = argument(self, 0).map(|it| it.display()).unwrap_or_default();
                shaped(known.map(|it| it.trim_matches(|letter| marks.contains(letter)).to_owned()))
            }
            "substring" => {
                let (from, count) = (number(0), number(1));
                shaped(known.zip(from).map(|(known, from)| {
                    let rest = known.chars().skip(from);
                    match count {
                        Some(count) => rest
                            .enumerate()
                            .take_while(|(at, _)| *at < count)
                            .map(|it| it.1)
                            .collect(),
                        None => rest.collect(),
                    }
                }))
            }
            "insert" => {
                let more = argument(self, 1).unwrap_or_default();
                match (known, number(0)) {
                    (Some(known), Some(at)) if known.is_char_boundary(at) => {
                        let (head, tail) = known.split_at_checked(at).unwrap_or((known, ""));
                        let mut whole = text.derive([]);
                        whole.push_known(head);
                        whole.append(&more);
                        whole.push_known(tail);
                        Value::Text(whole)
                    }
                    _ => Value::Text(unknown_of(text, name)),
                }
            }
            "remove" if !given.is_empty() => shaped(known.zip(number(0)).map(|(known, from)| {
                let count = number(1).unwrap_or(usize::MAX);
                known
                    .chars()
                    .enumerate()
                    .filter(|(at, _)| *at < from || at.saturating_sub(from) >= count)
                    .map(|it| it.1)
                    .collect()
            })),
            "tostring" | "normalize" | "clone" | "getnewclosure" | "gettype" | "asstring"
            | "getawaiter" | "getresult" | "readtoend" | "readline" | "getresponsestream"
            | "getstream" => Value::Text(text.clone()),
            "padleft" | "padright" => Value::Text(text.clone()),
            "startswith" | "endswith" | "contains" | "equals" | "indexof" | "compareto"
            | "lastindexof" => Value::unknown("a condition"),
            _ => self.thing_method(text, name, given, span),
        }
    }

    /// A method of what a text only names: a file, a process, something that is not known.
    fn thing_method(&mut self, text: &Text, name: &str, given: &[Value], span: Span) -> Value {
        match name {
            "invokescript" => {
                let code = given
                    .iter()
                    .find(|it| {
                        matches!(it, Value::Block(_) | Value::Object(_))
                            || it.as_known() != Some("False")
                    })
                    .cloned()
                    .unwrap_or(Value::Nothing);
                if matches!(code, Value::Text(_)) {
                    let code = self.text(&code);
                    return self.inner(&code, span);
                }
                let ways = self.invoke(&code, CallKind::Here, Vec::new(), None, span);
                self.one_of("invoked", span, ways)
            }
            "invoke" | "begininvoke" => {
                if text.has_unknown() {
                    let list = Value::List(given.to_vec().into());
                    let mut shown = unknown_of(text, "invoked");
                    shown.inherit(&self.text(&list));
                    self.reflected(text, given, span);
                    return Value::Text(shown);
                }
                Value::Text(text.clone())
            }
            // learn.microsoft.com, `CommandInvocationIntrinsics`: `$ExecutionContext.InvokeCommand.InvokeScript($text)`.
            "newscriptblock" => {
                let code = given.first().map(|it| self.text(it)).unwrap_or_default();
                self.code_value(&code)
            }
            "expandstring" => {
                let pattern = given.first().map(|it| self.text(it)).unwrap_or_default();
                self.expanded(&pattern, span)
            }
            "invokecommand" => Value::Text(text.clone()),
            "delete" => {
                let file = Argument { text: super::paths::slashed(text), span };
                if text.display().contains("process") {
                    self.killed(text.clone(), span);
                } else {
                    self.walk.delete(&file, true);
                }
                Value::Nothing
            }
            "kill" | "closemainwindow" => {
                self.killed(text.clone(), span);
                Value::Nothing
            }
            "moveto" | "copyto" | "replacewith" => {
                let from = Argument { text: super::paths::slashed(text), span };
                let to = given.first().cloned().unwrap_or(Value::Nothing);
                let to = self.path_argument(&to, span);
                if name == "copyto" {
                    self.program(&["cp"], &[&from, &to], span);
                } else {
                    self.program(&["mv"], &[&from, &to], span);
                }
                Value::Nothing
            }
            "promptforcredential" => {
                self.walk.note("windows.secrets.read", span);
                let made_of = tainted(Text::unknown("a password"), Taint::SECRET);
                self.object(Object { class: "credential".to_owned(), made_of, ..Object::default() })
            }
            "setvalue" | "getfield" | "getmethod" | "gettypes" | "getconstructor"
            | "setaccessrule" | "addaccessrule" => {
                self.reflected(text, given, span);
                let mut shown = part(text, name);
                for value in given {
                    shown.inherit(&self.text(value));
                }
                Value::Text(shown)
            }
            _ => {
                let mut shown = part(text, name);
                for value in given {
                    shown.inherit(&self.text(value));
                    if let Value::Block(_) = value {
                        let ways =
                            self.invoke(&value.clone(), CallKind::Value, Vec::new(), None, span);
                        drop(ways);
                    }
                }
                if text.has_unknown() {
                    self.unknown_method(&text.display().to_ascii_lowercase(), name, span);
                }
                Value::Text(shown)
            }
        }
    }

    /// A method of something that holds others, or of which no more is known than its type.
    fn held_method(
        &mut self,
        number: usize,
        object: Object,
        name: &str,
        given: &[Value],
        span: Span,
    ) -> Value {
        let whole = self.text(&Value::Object(number));
        match name {
            "tostring" | "toarray" | "getenumerator" | "clone" | "getresponse" => {
                if object.items.is_empty() {
                    Value::Object(number)
                } else {
                    Value::List(object.items.into())
                }
            }
            "contains" | "containskey" | "containsvalue" | "equals" => {
                Value::unknown("a condition")
            }
            "remove" | "clear" | "removeat" | "removerange" => Value::Nothing,
            "reverse" => {
                self.state.touches(number);
                if let Some(held) = self.state.objects.get_mut(number) {
                    held.items.reverse();
                }
                Value::Nothing
            }
            "pop" | "dequeue" | "peek" => self.one_of("item", span, object.items),
            _ => {
                let mut shown = part(&whole, name);
                for value in given {
                    shown.inherit(&self.text(value));
                }
                self.unknown_method(&object.class, name, span);
                Value::Text(shown)
            }
        }
    }

    /// Something is reached past what a type shows: what guards scripts is switched off so.
    fn reflected(&mut self, of: &Text, given: &[Value], span: Span) {
        let mut shown = of.display();
        for value in given {
            shown.push_str(&self.text(value).display());
        }
        let lower = shown.to_ascii_lowercase();
        if ["amsi", "cachedgrouppolicysettings", "etwprovider", "m_enabled", "scriptblocklogging"]
            .iter()
            .any(|it| lower.contains(it))
        {
            self.walk.note("code.powershell.guard", span);
        }
    }

    fn object_method(&mut self, number: usize, name: &str, given: &[Value], span: Span) -> Value {
        let Some(object) = self.state.objects.get(number).cloned() else { return Value::Nothing };
        let whole = self.text(&Value::Object(number));
        if let Some(values) = self.state.part(number, name)
            && let Some(block @ Value::Block(_)) = values.first().cloned()
        {
            let list = Value::List(given.to_vec().into());
            let given = super::programs::positional(Some(&list), span);
            let ways = self.invoke(&block, CallKind::Value, given, None, span);
            return self.one_of("method", span, ways);
        }
        match object.class.as_str() {
            "code" => {
                let ways =
                    self.invoke(&Value::Object(number), CallKind::Value, Vec::new(), None, span);
                self.one_of("code", span, ways)
            }
            "assembly" | "reflection" => {
                self.reflected(&whole, given, span);
                let mut shown = part(&whole, name);
                for value in given {
                    shown.push(Piece::Known(self.text(value).display()));
                }
                Value::Text(Text {
                    pieces: [Piece::Unknown(shown.display().into())].into_iter().collect(),
                    ..shown
                })
            }
            "process" if matches!(name, "kill" | "closemainwindow") => {
                self.killed(object.made_of, span);
                Value::Nothing
            }
            "credential" => {
                let made_of = tainted(unknown_of(&whole, "a password"), Taint::SECRET);
                Value::Text(made_of)
            }
            class if class.starts_with("com ") => self.com_method(class, name, given, span),
            class if class.starts_with("wmi") || class.starts_with("adsi") => {
                if class.starts_with("adsi") {
                    if !name.starts_with("get") && name != "refreshcache" {
                        self.walk.note("windows.account.change", span);
                    }
                } else {
                    let class = class.to_owned();
                    self.wmi_call(&class, name, given.first(), span);
                }
                Value::unknown("a result")
            }
            class
                if class.contains("webclient")
                    || class.contains("httpclient")
                    || class.contains("webrequest") =>
            {
                self.web_method(number, name, given, span)
            }
            class if class.contains("smtpclient") && name.starts_with("send") => {
                let mut sends = Text::default();
                for value in given {
                    sends.append(&self.text(value));
                }
                let address = Argument { text: object.made_of, span };
                self.walk.connect(&address, Some(sends), false);
                self.walk.note("windows.message.send", span);
                Value::Nothing
            }
            class if class.contains("powershell") && matches!(name, "invoke" | "begininvoke") => {
                let code = object.made_of;
                self.inner(&code, span)
            }
            class if class.contains("streamwriter") || class.contains("filestream") => {
                if name.starts_with("write") {
                    let file = Argument { text: object.made_of, span };
                    let content = given.first().map(|it| self.text(it)).unwrap_or_default();
                    self.write_file(&file, WriteMode::Append, content);
                }
                Value::Nothing
            }
            class
                if class.contains("stringbuilder")
                    || class.contains("stream")
                    || class.contains("reader") =>
            {
                match name {
                    "tostring" | "readtoend" | "toarray" => Value::Text(object.made_of),
                    _ => Value::Text(whole),
                }
            }
            class if class.contains("fileinfo") || class.contains("directoryinfo") => {
                self.text_method(&object.made_of, name, given, span)
            }
            class if class.contains("process") && name == "start" => {
                let value = self.state.part(number, "startinfo").and_then(|it| it.first()).cloned();
                let value = value.unwrap_or(Value::Object(number));
                self.static_method("diagnostics.process", "start", &[value], span)
            }
            _ => self.held_method(number, object, name, given, span),
        }
    }
}

/// A text as the pattern that finds it alone.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if !letter.is_alphanumeric() && !letter.is_whitespace() {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}
