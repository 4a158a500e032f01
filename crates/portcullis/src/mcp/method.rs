//! Every method that passes, and how: one table for each direction. Owns which there are; a method that is not in it is not passed on, so
//! that a new one is looked at before it is let through.

pub use crate::pins::Kind;

/// What is done with a request of the client.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Asked {
    /// It begins a session of the old protocol: the answer says who the server is.
    Initialize,
    /// It asks who the server is, in the new protocol.
    Discover,
    /// It lists things, which are held against what was accepted.
    List(Kind),
    /// It calls a tool, which is judged.
    Call,
    /// It takes a prompt, which is judged as a call.
    Prompt,
    /// It reads a resource, which is judged as a call.
    Read,
    /// It completes an argument of a prompt or of a pattern of resources, which is judged as taking that.
    Complete,
    /// It wants to be told when a resource changes, which is judged as reading it.
    Subscribe,
    /// It opens the stream of what the server says by itself, in the new protocol.
    Listen,
    /// It is passed on; its answer is looked through.
    Pass,
}

/// What is done with a notification of the client.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Told {
    /// It is passed on.
    Pass,
    /// It takes a request back.
    Cancelled,
}

/// What is done with a request of the server, which only the old protocol has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Wanted {
    /// It asks whether somebody is there.
    Ping,
    /// It wants to know the open directories.
    Roots,
    /// It asks the person something.
    Elicit,
    /// It wants the client's model to write something, and is refused.
    Sample,
}

/// What is done with a notification of the server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Noted {
    /// It is passed on, looked through.
    Pass,
    /// Something that it lists changed: what is known of it counts no more.
    Changed(&'static [Kind]),
}

const CLIENT_REQUESTS: &[(&str, Asked)] = &[
    ("completion/complete", Asked::Complete),
    ("initialize", Asked::Initialize),
    ("logging/setLevel", Asked::Pass),
    ("ping", Asked::Pass),
    ("prompts/get", Asked::Prompt),
    ("prompts/list", Asked::List(Kind::Prompt)),
    ("resources/list", Asked::List(Kind::Resource)),
    ("resources/read", Asked::Read),
    ("resources/subscribe", Asked::Subscribe),
    ("resources/templates/list", Asked::List(Kind::Template)),
    ("resources/unsubscribe", Asked::Pass),
    ("server/discover", Asked::Discover),
    ("subscriptions/listen", Asked::Listen),
    ("tasks/cancel", Asked::Pass),
    ("tasks/get", Asked::Pass),
    ("tasks/list", Asked::Pass),
    ("tasks/result", Asked::Pass),
    ("tasks/update", Asked::Pass),
    ("tools/call", Asked::Call),
    ("tools/list", Asked::List(Kind::Tool)),
];

const CLIENT_NOTIFICATIONS: &[(&str, Told)] = &[
    ("notifications/cancelled", Told::Cancelled),
    ("notifications/initialized", Told::Pass),
    ("notifications/progress", Told::Pass),
    ("notifications/roots/list_changed", Told::Pass),
];

const SERVER_REQUESTS: &[(&str, Wanted)] = &[
    ("elicitation/create", Wanted::Elicit),
    ("ping", Wanted::Ping),
    ("roots/list", Wanted::Roots),
    ("sampling/createMessage", Wanted::Sample),
];

const SERVER_NOTIFICATIONS: &[(&str, Noted)] = &[
    ("notifications/cancelled", Noted::Pass),
    ("notifications/elicitation/complete", Noted::Pass),
    ("notifications/message", Noted::Pass),
    ("notifications/progress", Noted::Pass),
    ("notifications/prompts/list_changed", Noted::Changed(&[Kind::Prompt])),
    ("notifications/resources/list_changed", Noted::Changed(&[Kind::Resource, Kind::Template])),
    ("notifications/resources/updated", Noted::Pass),
    ("notifications/subscriptions/acknowledged", Noted::Pass),
    ("notifications/tasks/status", Noted::Pass),
    ("notifications/tools/list_changed", Noted::Changed(&[Kind::Tool])),
];

/// What is done with a request of the client; `None` for one that is not passed on.
#[must_use]
pub fn asked(method: &str) -> Option<Asked> {
    of(CLIENT_REQUESTS, method)
}

/// What is done with a notification of the client.
#[must_use]
pub fn told(method: &str) -> Option<Told> {
    of(CLIENT_NOTIFICATIONS, method)
}

/// What is done with a request of the server.
#[must_use]
pub fn wanted(method: &str) -> Option<Wanted> {
    of(SERVER_REQUESTS, method)
}

/// What is done with a notification of the server.
#[must_use]
pub fn noted(method: &str) -> Option<Noted> {
    of(SERVER_NOTIFICATIONS, method)
}

fn of<T: Copy>(table: &[(&str, T)], method: &str) -> Option<T> {
    let at = table.binary_search_by(|(name, _)| (*name).cmp(method)).ok()?;
    table.get(at).map(|(_, what)| *what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_a_method_that_is_not_in_them_is_none() {
        fn sorted<T>(table: &[(&str, T)]) {
            assert!(table.is_sorted_by(|one, other| one.0 < other.0));
        }
        sorted(CLIENT_REQUESTS);
        sorted(CLIENT_NOTIFICATIONS);
        sorted(SERVER_REQUESTS);
        sorted(SERVER_NOTIFICATIONS);
        assert_eq!(asked("tools/call"), Some(Asked::Call));
        assert_eq!(asked("tools/Call"), None);
        assert_eq!(asked("sampling/createMessage"), None, "it is the server's");
        assert_eq!(wanted("tools/call"), None, "it is the client's");
        for kind in Kind::ALL {
            assert_eq!(asked(kind.list()), Some(Asked::List(kind)));
        }
    }
}
