//! Classes of PHP and Ruby: where their bodies are, what they have of others, and which of their methods the language calls by itself.
//! Owns what both do otherwise than Python and JavaScript. (php.net, "Magic Methods", "Traits"; docs.ruby-lang.org, Module, Struct, Data)

use std::{ops::Range, rc::Rc};

use portcullis_syntax::Span;

use super::super::{
    interpreter::{Interpreter, Parameter},
    tables,
    value::{Given, Value},
};
use crate::text::Text;

/// How many classes of a script are told apart.
const CLASSES: usize = 64;

/// How many words are looked at between the name of a class and its body.
const HEAD: usize = 48;

/// What a method of PHP calls its object.
const THIS: &str = "$this";

impl Interpreter<'_, '_, '_> {
    /// `class Name extends Base implements Other {`, `class Name < Base`, `module Name`: the cursor stands behind the name. What is in it
    /// is read where it stands.
    pub(in super::super) fn class_of_scripting(&mut self, start: usize) {
        if self.classes.len() >= CLASSES {
            return self.limit();
        }
        let name = self.word_at(start + 1).to_owned();
        let body = match self.language {
            "php" => {
                let last = self.end.min(start + HEAD);
                let Some(open) = (self.at..last).find(|at| self.word_at(*at) == "{") else {
                    return;
                };
                if let Some(base) = (self.at..open).find(|at| self.word_at(*at) == "extends") {
                    let base = (base + 1..open).take_while(|at| self.is_name(*at)).last();
                    if let Some(base) = base.map(|at| self.word_at(at).to_owned()) {
                        self.has_all_of(&name, &base);
                    }
                }
                self.bind(THIS.to_owned(), Value::name(THIS));
                self.at = open;
                open..self.partner(open)
            }
            _ => {
                if self.word() == "<" && self.is_name(self.at + 1) {
                    let base = self.word_at(self.at + 1).to_owned();
                    self.has_all_of(&name, &base);
                }
                let Some(close) = self.end_of_block(start) else { return };
                start..close
            }
        };
        self.classes.push((name, body));
    }

    /// The methods of a class that it has of another: of one above it, a trait or a module.
    fn has_all_of(&mut self, class: &str, base: &str) {
        self.parents.push((class.to_owned(), base.to_owned()));
        let from = format!("{base}.");
        let methods = self.named.iter().filter_map(|(name, index)| {
            let method = name.strip_prefix(&from)?;
            Some((format!("{class}.{method}"), *index))
        });
        let methods: Vec<_> = methods.collect();
        self.named.extend(methods);
        if let Some(fields) = self.fields.get(base).cloned() {
            self.fields.insert(class.to_owned(), fields);
        }
    }

    /// `use Trait;` and `include Module` in a class.
    pub(in super::super) fn takes_in(&mut self, at: usize, module: &str) -> bool {
        let class = self.classes.iter().rev().find(|(_, body)| body.contains(&at));
        let Some(class) = class.map(|(class, _)| class.clone()) else { return false };
        self.has_all_of(&class, module);
        true
    }

    /// `use App\Jobs\Cleaner as Job;`, `use function unlink as drop;` of PHP, and `use Trait;` in a class.
    pub(in super::super) fn used_in_php(&mut self) {
        let start = self.at;
        self.skip_statement();
        let end = self.at;
        let mut at = start + 1;
        at += usize::from(matches!(self.word_at(at), "function" | "const"));
        let (mut path, mut name) = (String::new(), String::new());
        while at <= end {
            match self.word_at(at) {
                "\\" => {}
                "as" if self.is_name(at + 1) => {
                    name = self.word_at(at + 1).to_owned();
                    at += 1;
                }
                "," | ";" | "{" | "" => {
                    if !path.is_empty() && !self.takes_in(start, &path) && name != path {
                        self.bind(name.clone(), Value::name(&path));
                    }
                    (path, name) = (String::new(), String::new());
                }
                word => {
                    name = word.to_owned();
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(word);
                }
            }
            at += 1;
        }
    }

    /// `new class(…) extends Base { … }`: the cursor stands on `class`.
    pub(in super::super) fn class_without_name(&mut self) -> Option<Value> {
        let start = self.at;
        let last = self.end.min(start + HEAD);
        let mut open = start + 1;
        let mut given = Vec::new();
        if self.word_at(open) == "(" {
            let close = self.partner(open);
            self.at = open;
            given = self.arguments_until(close);
            open = close + 1;
        }
        let open = (open..last).find(|at| self.word_at(*at) == "{");
        let Some(open) = open.filter(|_| self.classes.len() < CLASSES) else {
            self.at = start + 1;
            return None;
        };
        let name = format!("class{start}");
        if let Some(base) = (start..open).find(|at| self.word_at(*at) == "extends") {
            let base = self.word_at(base + 1).to_owned();
            self.has_all_of(&name, &base);
        }
        self.bind(THIS.to_owned(), Value::name(THIS));
        self.classes.push((name.clone(), open..self.partner(open)));
        self.at = open;
        self.braces();
        self.construct(&name, &given)
    }

    /// `def name(a) = expression`, which has no `end`; `def name=(value)` has one.
    pub(in super::super) fn is_endless_definition(&self, at: usize) -> bool {
        let mut name = at + 1;
        while self.word_at(name + 1) == "." {
            name += 2;
        }
        let behind = match self.word_at(name + 1) {
            "(" => self.partner(name + 1) + 1,
            _ => name + 1,
        };
        let is_sign = self.word_at(behind) == "=" && !self.is_first(behind);
        is_sign && self.token_at(behind).is_some_and(|token| token.spaced)
    }

    /// The body of a definition of Ruby whose word stands at `start`, with the cursor behind its parameters: up to its `end`, or the
    /// expression behind `=`.
    pub(in super::super) fn body_in_ruby(&mut self, start: usize) -> Option<Range<usize>> {
        if self.word() == "=" && !self.is_first(self.at) {
            let from = self.at + 1;
            let mut at = from;
            while at < self.end && (at == from || !self.is_first(at)) && self.word_at(at) != ";" {
                at = self.partner_or_next(at);
            }
            return Some(from..at);
        }
        let close = self.end_of_block(start)?;
        Some(self.at..close)
    }

    /// Parameters of a definition of Ruby without parentheses: up to the end of its line.
    pub(in super::super) fn bare_parameters(&mut self, start: usize) -> Vec<Parameter> {
        let line = (self.at..self.end.min(start + HEAD))
            .find(|at| self.is_first(*at) || matches!(self.word_at(*at), ";" | "="));
        let names = line.is_some_and(|_| self.is_name(self.at) && !self.is_first(self.at));
        let Some(end) = line.filter(|_| names) else { return Vec::new() };
        // `def run a, b = 1`: a default is none of a body.
        let end = match self.word_at(end) {
            "=" => (end..self.end.min(start + HEAD))
                .find(|at| self.is_first(*at) || self.word_at(*at) == ";")
                .unwrap_or(end),
            _ => end,
        };
        let parameters = self.parameters(self.at, end);
        self.at = end;
        parameters
    }

    /// Whether a method may also be called by its name alone, as far as this is told: not where that is a function of the language.
    pub(in super::super) fn hides_nothing(&self, name: &str) -> bool {
        tables::row(self.language, name).is_none()
    }

    /// A method that an object does not have, or one that is called of the class: `__call`, `__callStatic`, `method_missing`.
    pub(in super::super) fn missing_method(
        &mut self,
        path: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        if !matches!(self.language, "php" | "ruby") || self.classes.is_empty() {
            return None;
        }
        let (object, method) = path.rsplit_once('.')?;
        if method == "new" {
            return None;
        }
        let (class, by) = match (object.strip_suffix("()"), self.language) {
            (Some(class), "php") => (class, "__call"),
            (None, "php") => (object, "__callStatic"),
            (Some(class), _) => (class, "method_missing"),
            (None, _) => (object, "method_missing"),
        };
        let index = self.named.get(&format!("{class}.{by}")).copied()?;
        let name = Given { name: None, value: Value::known(method), span };
        let mut all = vec![name];
        match self.language {
            "php" => {
                let list = given.iter().map(|it| it.value.clone()).collect();
                all.push(Given { name: None, value: Value::List(list), span });
            }
            _ => all.extend(given.iter().cloned()),
        }
        let value = self.apply(index, Some(&all));
        Some(self.itself_or(path, value))
    }

    /// What a method gave: the object itself where that is what it gave.
    pub(in super::super) fn itself_or(&self, path: &str, value: Value) -> Value {
        let is_itself =
            matches!(&value, Value::Name(name, _) if matches!(&**name, "self" | "$this"));
        match path.rsplit_once('.') {
            Some((object, _)) if is_itself && matches!(self.language, "php" | "ruby") => {
                Value::name(object)
            }
            _ => value,
        }
    }

    /// `Struct.new(:name)`, `Data.define(:name)`: a class with these fields.
    pub(in super::super) fn record_of_ruby(
        &mut self,
        path: &str,
        given: &[Given],
    ) -> Option<Value> {
        /// How many fields of a class are known.
        const FIELDS: usize = 32;
        if !matches!(path, "Struct.new" | "Data.define" | "Class.new" | "Module.new")
            || given.len() > FIELDS
            || self.classes.len() >= CLASSES
        {
            return None;
        }
        let names = given.iter().filter(|it| it.name.is_none());
        let fields: Option<Vec<Parameter>> = names
            .filter(|_| matches!(path, "Struct.new" | "Data.define"))
            .map(|it| Some(Parameter::new(it.value.as_known()?, self.at)))
            .collect();
        let name = format!("Record{}", self.classes.len());
        self.fields.insert(name.clone(), (Rc::clone(&self.unit), fields?.into()));
        self.classes.push((name.clone(), 0..0));
        Some(Value::name(&name))
    }

    /// What a class is called whose body is the block at the cursor: `Struct.new(:name) do … end`.
    pub(in super::super) fn opens_class(&mut self, made: &Value, body: Range<usize>) {
        if let Value::Name(name, _) = made
            && name.starts_with("Record")
            && self.is_class(name)
            && self.classes.len() < CLASSES
        {
            self.classes.push((name.to_string(), body));
        }
    }

    /// What a name of Ruby reads that no variable and no method has: the field of this name, `attr_reader :path`.
    pub(in super::super) fn read_field(&self, name: &str) -> Option<Value> {
        if self.language != "ruby" || self.classes.is_empty() {
            return None;
        }
        let own = self.class_of("self").map(|class| format!("{class}().{name}"));
        let field = self.variables.get(&format!("@{name}"));
        field.or_else(|| self.variables.get(&own?)).cloned()
    }

    /// `[$object, 'method']`, `'Class::method'` of PHP.
    pub(in super::super) fn callable_of_php(&mut self, callee: &Value) -> Option<Value> {
        if self.language != "php" {
            return None;
        }
        match callee {
            Value::List(pair) => match pair.as_slice() {
                [object @ Value::Name(..), method] => {
                    let method = method.as_known()?.to_owned();
                    Some(self.member(object.clone(), &method))
                }
                [class, method] => {
                    let path = format!("{}.{}", class.as_known()?, method.as_known()?);
                    Some(Value::name(&path.replace('\\', ".")))
                }
                _ => None,
            },
            Value::Text(text) => {
                let known = text.as_known()?;
                let path = known.trim_start_matches('\\').replace("::", ".").replace('\\', ".");
                let is_path = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_');
                (path != known && path.chars().all(is_path)).then(|| Value::name(&path))
            }
            _ => None,
        }
    }

    /// Whether a name of Ruby without arguments is called where more stands behind it: a method of a value, or what makes an object of a
    /// class of the script.
    pub(in super::super) fn is_made_here(&self, value: &Value) -> bool {
        match value {
            Value::Method(_) => true,
            Value::Name(path, _) => {
                path.strip_suffix(".new").is_some_and(|class| self.is_class(class))
            }
            _ => false,
        }
    }

    /// Whether the script ends here whatever happened before: `exit` as a statement of its own, behind which nothing is defined and no
    /// block ends.
    pub(in super::super) fn ends_script(&self, start: usize) -> bool {
        const MORE: &[&str] = &[
            "BEGIN",
            "CHECK",
            "END",
            "INIT",
            "class",
            "def",
            "else",
            "elsif",
            "end",
            "endfor",
            "endforeach",
            "endif",
            "endswitch",
            "endwhile",
            "enum",
            "ensure",
            "function",
            "interface",
            "rescue",
            "sub",
            "trait",
            "when",
            "}",
        ];
        let is_word = match self.language {
            "perl" => self.word() == "exit",
            "php" => matches!(self.word(), "exit" | "die"),
            "ruby" => matches!(self.word(), "exit" | "exit!"),
            _ => false,
        };
        if !is_word
            || self.calls > 0
            || self.blocks > 0
            || self.end < self.unit.tokens.len()
            || self.has_own_built_ins
            || self.named.contains_key("exit")
            || self.source.contains("goto")
        {
            return false;
        }
        let begins = match start.checked_sub(1).map(|before| self.word_at(before)) {
            None => true,
            Some(before) => before == ";" || before == "}" || self.language == "ruby",
        };
        let behind = match self.word_at(start + 1) {
            "(" => self.partner(start + 1) + 1,
            "0" | "1" | "2" => start + 2,
            _ => start + 1,
        };
        let is_whole = match self.language {
            "ruby" => self.is_first(start) && (self.is_first(behind) || behind >= self.end),
            _ => self.word_at(behind) == ";" || behind >= self.end,
        };
        begins && is_whole && !(behind..self.end).any(|at| MORE.contains(&self.word_at(at)))
    }

    /// Where the block of an `if` ends whose condition is a constant that is false: what is in it is never done.
    pub(in super::super) fn never_done(&self, start: usize) -> Option<usize> {
        let (condition, end) = match self.language {
            "perl" | "php" => {
                let close = self.partner(start + 1);
                let is_one = self.word_at(start + 1) == "(" && close == start + 3;
                let is_block = self.word_at(close + 1) == "{";
                (start + 2, (is_one && is_block).then(|| self.partner(close + 1) + 1)?)
            }
            "ruby" => {
                let is_one = self.is_first(start) && self.is_first(start + 2);
                let close = is_one.then(|| self.end_of_block(start)).flatten()?;
                let divides = |at: usize| matches!(self.word_at(at), "else" | "elsif");
                (start + 1, (!(start..close).any(divides)).then_some(close + 1)?)
            }
            _ => return None,
        };
        let word = self.word_at(condition);
        let is_false = match (self.language, word) {
            (_, "0") => self.language != "ruby",
            ("php" | "ruby", "false" | "FALSE") | ("ruby", "nil") | ("php", "null" | "NULL") => {
                self.language == "php" || word != "FALSE"
            }
            // `use constant NAME => 0;`
            ("perl", name) if self.is_name(condition) => {
                let declared = format!("use constant {name} => 0;");
                let is_told_anew = [format!("*{name}"), format!("sub {name}")];
                self.source.matches(&format!("constant {name}")).count() == 1
                    && self.source.contains(&declared)
                    && !is_told_anew.iter().any(|it| self.source.contains(it))
                    && !self.source.contains("*{")
            }
            // What has no sign in front is a constant in PHP.
            ("php", name) if self.is_name(condition) => {
                self.variables.get(name).is_some_and(Value::is_false)
            }
            _ => false,
        };
        is_false.then_some(end)
    }

    /// `['path' => $path, 'by' => [$first]] = $value` of PHP: each name gets its part.
    pub(in super::super) fn taken_apart_in_php(
        &mut self,
        open: usize,
        close: usize,
        value: &Value,
    ) {
        if !self.sink() {
            return;
        }
        let (mut at, mut position) = (open + 1, 0);
        while at < close && self.spend(1) {
            let end = (at..close)
                .scan(at, |next, _| {
                    let here = *next;
                    *next = self.partner_or_next(here);
                    Some(here)
                })
                .find(|here| *here >= close || self.word_at(*here) == ",")
                .unwrap_or(close)
                .min(close);
            let arrow = (at..end).find(|here| self.word_at(*here) == "=>");
            let part = match arrow {
                Some(arrow) => {
                    let unit = Rc::clone(&self.unit);
                    let key = self.within(unit, at..arrow, |inner| inner.expression(0));
                    match key.as_known() {
                        Some(key) => value.entry(key).cloned(),
                        None => None,
                    }
                }
                None => Some(self.element(value, position)),
            };
            let part = part.unwrap_or_else(|| Value::unknown("a part"));
            let target = arrow.map_or(at, |arrow| arrow + 1);
            match self.word_at(target) {
                "[" => self.taken_apart_in_php(target, self.partner(target), &part),
                name if name.starts_with('$') && target + 1 >= end => {
                    self.bind(name.to_owned(), part);
                }
                _ => {}
            }
            position += 1;
            at = end + 1;
        }
        self.rise();
    }

    /// `ftp_delete($connection, $path)`, `ssh2_exec`, `ldap_delete`: what is told the handle first is a method of the same client.
    pub(in super::super) fn by_handle_in_php(
        &mut self,
        path: &str,
        text: &Text,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let (handle, rest) = given.split_first()?;
        let (family, _) = path.split_once('_')?;
        let method = match path {
            "ftp_delete" | "ftp_rmdir" => "ftplib.FTP().delete",
            "ftp_put" | "ftp_nb_put" | "ftp_fput" | "ftp_nb_fput" => {
                "basic-ftp.Client().upload_from"
            }
            "ftp_exec" | "ftp_raw" | "ftp_site" | "ssh2_exec" => {
                "paramiko.SSHClient().exec_command"
            }
            "ssh2_sftp_unlink" | "ssh2_sftp_rmdir" => "ftplib.FTP().delete",
            "ssh2_scp_send" => "basic-ftp.Client().put",
            "ldap_delete" | "ldap_delete_ext" => "ldap3.Connection().delete",
            "ldap_mod_replace" | "ldap_modify" | "ldap_mod_del" | "ldap_mod_add"
            | "ldap_modify_batch" | "ldap_add" | "ldap_exop_passwd" => "ldap3.Connection().modify",
            _ => return None,
        };
        let module = method.split('.').next().unwrap_or_default();
        self.module(module);
        let mut inherited = text.clone();
        handle.value.inherit_into(&mut inherited);
        let result = self.library_told(method, &inherited, rest, span);
        Some(result.unwrap_or_else(|| Value::unknown(family)))
    }
}
