//! What is never done in Perl, PHP and Ruby: what stands behind the end of a script, and blocks under a constant that is false. Owns how both are told.

use super::super::{interpreter::Interpreter, value::Value};

impl Interpreter<'_, '_, '_> {
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
}
