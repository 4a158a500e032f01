//! What a verb says of people: who is asked, who is let in, what is shown to everybody. Owns the words for that; which class everything else has,
//! the module above says.

use super::{Class, Clause, Thing};

impl Clause<'_> {
    /// Looking, unless the word says something else of this object: a ticket that is resolved, a seller who is asked.
    pub(super) fn class_of_looking(&self) -> Class {
        let is_changed = self.is_verb(&["resolve"])
            && matches!(
                self.head(),
                "alert"
                    | "bug"
                    | "case"
                    | "claim"
                    | "comment"
                    | "conflict"
                    | "conversation"
                    | "dispute"
                    | "incident"
                    | "issue"
                    | "request"
                    | "task"
                    | "thread"
                    | "ticket"
            )
            || self.is_verb(&["convert"]) && matches!(self.head(), "deal" | "lead" | "trial")
            || self.is_verb(&["check"])
                && self.all.iter().any(|word| matches!(word.as_str(), "in" | "out"));
        let is_told = self.is_verb(&["ask", "consult"])
            && matches!(
                self.head(),
                "agent"
                    | "client"
                    | "colleague"
                    | "customer"
                    | "doctor"
                    | "host"
                    | "landlord"
                    | "owner"
                    | "provider"
                    | "seller"
                    | "support"
                    | "team"
                    | "vendor"
            );
        if is_told {
            Class::Send
        } else if is_changed {
            Class::Change
        } else {
            Class::Read
        }
    }

    /// Whether a comment is left, which people are told of.
    pub(super) fn comments(&self) -> bool {
        let writes = self.is_verb(&["add", "create", "leave", "make", "post", "put", "write"]);
        self.is_verb(&["comment"]) && !self.says(&["cell", "code", "line"])
            || writes && matches!(self.head(), "comment" | "comments")
    }

    /// Whether people are tied to somebody by it: a friend, a connection.
    pub(super) fn binds_people(&self) -> bool {
        self.says(&["connection", "follower", "friend", "friendship"])
    }

    /// The class of what lets others in, or shows something to them.
    pub(super) fn class_of_opening(&self, makes: bool) -> Option<Class> {
        let is_link = matches!(self.head(), "link" | "links" | "url" | "urls");
        if makes && is_link && self.says(&["invite", "invitation"]) {
            return Some(Class::Share);
        }
        let is_shown = self.is_verb(&["make", "set", "turn", "change", "switch"]) || is_link;
        if is_shown && self.says(&["public", "publicly"]) {
            return Some(Class::Publish);
        }
        // `add_access_code`: a code that opens a door; a key that a machine is let in by.
        let is_code = matches!(self.head(), "code" | "codes" | "key" | "keys");
        let opens = ["access", "deploy", "door", "entry", "gate", "guest", "lock", "ssh"];
        let is_bank = self.is_verb(&["set", "change", "update"]) && self.says(&["bank"]);
        if is_code && self.says(&opens) || is_bank {
            return Some(Class::Administer);
        }
        // What happens here is told to whoever made the address.
        if makes && matches!(self.head(), "webhook" | "webhooks" | "forwarding") {
            return Some(Class::Share);
        }
        let is_order = self.says(&["standing"]) && self.is(Thing::Purchase);
        let borrows = self.is_verb(&["apply"]) && self.says(&["credit", "loan", "mortgage"]);
        (is_order || borrows).then_some(Class::Pay)
    }
}
