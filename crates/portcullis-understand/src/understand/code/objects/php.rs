//! What only PHP has of functions and values: what `use` names, callables, lists that are taken apart, and functions that are told a handle first.
//! (php.net, "Callbacks / Callables", "Array destructuring")

use std::rc::Rc;

use portcullis_syntax::Span;

use super::super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::text::Text;

impl Interpreter<'_, '_, '_> {
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
