//! Every route in one table: the router, the scopes and the published description are all made of it. Owns the table and the checks that
//! every request passes before its handler.
//!
//! Agents send nearly nothing but calls to be judged. Those go straight from the checks to their handler; everything else is carried there
//! by the framework's layers, which cost as much as the handler of a short call does. The checks are the same functions for both.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Router,
    body::{Body, Bytes, HttpBody as _},
    extract::{ConnectInfo, DefaultBodyLimit, MatchedPath, Request, State},
    http::{HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::{MethodRouter, delete, get, post, put},
};
use tokio::time::timeout;

use super::{
    Gateway, Shared,
    access::{Caller, permitted},
    approvals,
    body::{BODY, whole},
    bundle, chat, deliveries, events, figures, grants, guards, inbox, intercept, judge, looking,
    machines, mcp, notices, overview, page, people, policy,
    problem::{Parameters, Problem, Told},
    records, servers, snapshots, talk, tokens,
};
use crate::approvals::Scope;

/// The longest body, and the longest of somebody who is not known yet.
const LONGEST_BODY: usize = 1 << 20;
const LONGEST_UNKNOWN: usize = 4 << 10;

/// The one route that a browser's page asks without its own token, because a stream of events carries no headers. It says that something
/// changed, and not what.
const EVENTS: &str = "/v1/events";

/// The route that goes without the framework's layers.
const JUDGE: &str = "/v1/judge";

/// Who may use a route.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Needs {
    /// Anybody who can connect.
    Nothing,
    /// Any token.
    Token,
    /// A token with this scope.
    Scope(Scope),
    /// A token with one of these.
    Either(Scope, Scope),
}

/// One route.
pub(super) struct Route {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) needs: Needs,
    pub(super) summary: &'static str,
    /// The parameters of its query, each with what it means.
    pub(super) query: &'static [(&'static str, Kind, &'static str)],
    /// The names of the schemas of what comes and what goes; empty where there is none.
    pub(super) takes: &'static str,
    pub(super) gives: &'static str,
    /// The status where all goes well.
    pub(super) status: u16,
    handler: fn() -> MethodRouter<Shared>,
}

/// What a parameter of a query is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    /// A number of things or seconds.
    Number,
    /// The number of a record.
    Record,
    /// RFC 3339.
    Time,
    Text,
    /// One of these.
    Word(&'static [&'static str]),
}

const KINDS: Kind = Kind::Word(&["decision", "answer", "outcome", "change"]);
const RISKS: Kind = Kind::Word(&["safe", "low", "medium", "high", "critical", "unknown"]);
const VERDICTS: Kind = Kind::Word(&["allow", "ask", "deny"]);
const FORMATS: Kind = Kind::Word(&["jsonl", "csv", "ocsf", "cef"]);
const ORDERS: Kind = Kind::Word(&["newest", "worst"]);
const SNOOZED: Kind = Kind::Word(&["with", "without"]);
const STATUSES: Kind = Kind::Word(&[
    "pending",
    "approved",
    "denied",
    "timed_out",
    "cancelled",
    "auto_approved",
    "auto_denied",
]);

const WAIT: (&str, Kind, &str) = (
    "wait",
    Kind::Number,
    "Hold the answer until it is decided, at most so many seconds, and an hour at most",
);

const LISTENS: (&str, Kind, &str) =
    ("for", Kind::Number, "End after so many seconds; not at all where it is missing");

const RESUME: (&str, Kind, &str) = (
    "resume",
    Kind::Word(&["true", "false"]),
    "Take up what was asked before about the very same action, where it waits or is approved and unused",
);

const SILENT: (&str, Kind, &str) = (
    "silent",
    Kind::Number,
    "Who said nothing for so many seconds is silent; an hour unless said otherwise",
);

const NEWER: (&str, Kind, &str) = (
    "wait",
    Kind::Number,
    "Hold the answer until there is a newer one than `If-None-Match` names, at most so many seconds, and an hour at most",
);

const INTERCEPTS: &[(&str, Kind, &str)] = &[
    ("server", Kind::Text, "The server whose calls they are"),
    (
        "wait",
        Kind::Number,
        "Hold the answer until a person decided, at most so many seconds, and an hour at most",
    ),
];

const NOTICES: &[(&str, Kind, &str)] = &[
    ("state", Kind::Word(&["waiting", "sent", "needless", "dead"]), "Of this state"),
    ("limit", Kind::Number, "At most so many, 500 at most"),
];

const SUMMED: &[(&str, Kind, &str)] = &[
    ("hours", Kind::Word(&["24", "168", "720"]), "Of so many hours; 24 by default"),
    ("project", Kind::Text, "The calls of this project alone"),
];

const AUTHORIZED: (&str, Kind, &str) =
    ("path", Kind::Text, "Where the message was going; it is not looked at");

const FILTER: &[(&str, Kind, &str)] = &[
    ("kind", KINDS, "Of this kind"),
    ("risk", RISKS, "With this risk"),
    ("decision", VERDICTS, "With this decision"),
    ("since", Kind::Time, "At this time or later"),
    ("until", Kind::Time, "At this time or earlier"),
    ("agent", Kind::Text, "Of this agent"),
    ("session", Kind::Text, "Of this session"),
    ("before", Kind::Record, "Recorded before this one"),
    ("after", Kind::Record, "Recorded after this one"),
    ("text", Kind::Text, "Whose tool, preview or reason holds this"),
    ("limit", Kind::Number, "At most so many, the newest first"),
    ("format", FORMATS, "Of an export"),
];

/// Who rules over a gateway may try what it says; what is asked then, somebody else decides.
const JUDGES: Needs = Needs::Either(Scope::Judge, Scope::Admin);
const DECIDES: Needs = Needs::Scope(Scope::Approve);
const SEES: Needs = Needs::Either(Scope::Read, Scope::Approve);
const READS: Needs = Needs::Either(Scope::Read, Scope::Admin);
const RULES_OVER: Needs = Needs::Scope(Scope::Admin);

macro_rules! route {
    ($method:ident $path:literal, $needs:expr, $summary:literal, [$($query:expr)?], $takes:literal -> $status:literal $gives:literal, $handler:expr) => {
        Route {
            method: Method::$method,
            path: $path,
            needs: $needs,
            summary: $summary,
            query: route!(@query $($query)?),
            takes: $takes,
            gives: $gives,
            status: $status,
            handler: || $handler,
        }
    };
    (@query) => { &[] };
    (@query $query:expr) => { $query };
}

/// The table.
pub(super) const ROUTES: &[Route] = &[
    route!(POST "/v1/judge", JUDGES, "Judge a call; ask for approval where it asks", [&[WAIT, RESUME]], "Call" -> 200 "Judged", post(judge::judge)),
    route!(POST "/v1/inspect", Needs::Either(Scope::Judge, Scope::Read), "Look for secrets and planted instructions in a text", [], "Text" -> 200 "Inspected", post(judge::inspect)),
    route!(POST "/v1/intercept/before", Needs::Scope(Scope::Judge), "An interceptor of docker's MCP gateway: nothing where a call may go on, else what is answered in its place", [INTERCEPTS], "Intercepted" -> 200 "Intercepted", post(intercept::before)),
    route!(POST "/v1/intercept/after", Needs::Scope(Scope::Judge), "The same after a call: nothing where its result is shown as it is, else the result without its secrets", [INTERCEPTS], "Intercepted" -> 200 "Intercepted", post(intercept::after)),
    route!(POST "/v1/authorize/{server}", Needs::Scope(Scope::Judge), "External authorisation of a message to an MCP server behind another gateway: 200, or 403 with why", [&[AUTHORIZED]], "McpMessage" -> 200 "", post(intercept::authorize)),
    route!(GET "/v1/authorize/{server}", Needs::Scope(Scope::Judge), "The same of a stream, which holds no message", [&[AUTHORIZED]], "" -> 200 "", get(intercept::authorize)),
    route!(DELETE "/v1/authorize/{server}", Needs::Scope(Scope::Judge), "The same of the end of a session", [&[AUTHORIZED]], "" -> 200 "", delete(intercept::authorize)),
    route!(POST "/v1/evaluate", Needs::Scope(Scope::Judge), "One half of a step of an agent, as guards that speak the events of OpenGuardrails send it: whether it may go on", [&[WAIT]], "GuardEvent" -> 200 "GuardVerdict", post(guards::evaluate)),
    route!(GET "/v1/health", Needs::Nothing, "Whether such events can be judged and recorded", [], "" -> 200 "GuardHealth", get(guards::health)),
    route!(POST "/v1/deliveries", Needs::Scope(Scope::Judge), "Record decisions by which calls went on elsewhere while no gateway answered", [], "DeliveryShape" -> 200 "Delivered", post(deliveries::take)),
    route!(GET "/v1/approvals", Needs::Token, "Requests for approval, the newest first; a judging token sees its own", [&[
        ("status", STATUSES, "With this status"),
        ("session", Kind::Text, "Of this session"),
        ("before", Kind::Record, "What the page before gave"),
        ("order", ORDERS, "The newest first, or of what waits the worst"),
        ("limit", Kind::Number, "At most so many"),
        ("after", Kind::Text, "With the worst first: what the page before gave as `next`"),
        ("project", Kind::Text, "With the worst first, as all that follow: of this project"),
        ("agent", Kind::Text, "Of this agent"),
        ("rule", Kind::Text, "In which this rule found something"),
        ("risk", RISKS, "With this risk"),
        ("class", Kind::Text, "That do this kind of thing"),
        ("asked_before", Kind::Time, "That wait since before this time"),
        ("text", Kind::Text, "That hold this in the beginning of what would run, or in who asks"),
        ("alike", Kind::Text, "That are alike to the request of this id"),
        ("assigned", Kind::Text, "To which somebody of this name sees"),
        ("snoozed", SNOOZED, "Also those that one put off oneself, or without them"),
    ]], "" -> 200 "ApprovalsShape", get(inbox::list)),
    route!(GET "/v1/approvals/alike", Needs::Token, "What waits, the alike together, the worst first", [&[
        ("limit", Kind::Number, "At most so many"),
        ("session", Kind::Text, "Of this session"),
        ("project", Kind::Text, "Of this project"),
        ("agent", Kind::Text, "Of this agent"),
        ("rule", Kind::Text, "In which this rule found something"),
        ("risk", RISKS, "With this risk"),
        ("class", Kind::Text, "That do this kind of thing"),
        ("asked_before", Kind::Time, "That wait since before this time"),
        ("text", Kind::Text, "That hold this in the beginning of what would run, or in who asks"),
        ("assigned", Kind::Text, "To which somebody of this name sees"),
        ("snoozed", SNOOZED, "Also those that one put off oneself, or without them"),
    ]], "" -> 200 "PilesShape", get(inbox::piles)),
    route!(GET "/v1/approvals/{id}", Needs::Token, "One request, with all that a person is shown", [&[WAIT]], "" -> 200 "ApprovalShape", get(approvals::show)),
    route!(POST "/v1/approvals/{id}/decision", DECIDES, "Approve or deny a request; the first decision holds", [], "DecisionShape" -> 200 "ApprovalShape", post(approvals::decide)),
    route!(POST "/v1/approvals/{id}/look", SEES, "Say that one looks at a request; who else does, and whether an agent waits for it, is answered", [], "" -> 200 "LookShape", post(looking::look)),
    route!(GET "/v1/approvals/{id}/talk", SEES, "What people said about a request, who sees to it, and until when one put it off oneself", [], "" -> 200 "TalkShape", get(talk::show)),
    route!(POST "/v1/approvals/{id}/comments", DECIDES, "Say something about a request to other people; it decides nothing, and no agent is told it", [], "CommentShape" -> 200 "TalkShape", post(talk::comment)),
    route!(PUT "/v1/approvals/{id}/assignment", DECIDES, "Say who sees to a request that waits", [], "AssignShape" -> 200 "TalkShape", put(talk::assign)),
    route!(PUT "/v1/approvals/{id}/snooze", DECIDES, "Put a request off until a time, for oneself alone", [], "SnoozeShape" -> 200 "TalkShape", put(talk::snooze)),
    route!(POST "/v1/approvals/{id}/claim", JUDGES, "Take up an approval, once, for the action that it was given for", [], "ClaimShape" -> 200 "ApprovalShape", post(approvals::claim)),
    route!(POST "/v1/approvals/{id}/cancel", JUDGES, "Take a request back that was asked with this token", [], "" -> 200 "ApprovalShape", post(approvals::cancel)),
    route!(POST "/v1/decisions", DECIDES, "The same word on many requests", [], "ManyShape" -> 200 "CountShape", post(approvals::decide_many)),
    route!(GET "/v1/grants", SEES, "What people let go on together with a request, and whether it holds", [], "" -> 200 "GrantsShape", get(grants::list)),
    route!(DELETE "/v1/grants/{id}", DECIDES, "Take back what goes on beforehand", [], "" -> 204 "", delete(grants::take_back)),
    route!(GET "/v1/events", Needs::Either(Scope::Read, Scope::Approve), "Server-sent events: that something changed, and how many requests wait", [&[LISTENS]], "" -> 200 "Events", get(events::listen)),
    route!(GET "/v1/records", READS, "Records, the newest first", [FILTER], "" -> 200 "Records", get(records::list)),
    route!(GET "/v1/records/export", READS, "Every record that a filter wants, oldest first, as JSON lines or CSV", [FILTER], "" -> 200 "Export", get(records::export_all)),
    route!(GET "/v1/records/verify", READS, "Look through the whole chain", [], "" -> 200 "Verification", get(records::verify)),
    route!(GET "/v1/records/{sequence}", READS, "One record, with the proof of its place in the chain", [], "" -> 200 "RecordWithProof", get(records::show)),
    route!(GET "/v1/sessions", READS, "Sessions of agents, the latest first", [], "" -> 200 "Sessions", get(overview::sessions)),
    route!(GET "/v1/summary", READS, "The last hours or days in numbers: calls and answers over time, by project and by rule", [SUMMED], "" -> 200 "Summary", get(figures::summary)),
    route!(GET "/v1/rules", READS, "Every rule", [], "" -> 200 "Rules", get(policy::rules_list)),
    route!(GET "/v1/policy", READS, "The policy, and where each part of it comes from", [], "" -> 200 "Policy", get(policy::show)),
    route!(POST "/v1/policy/dry-run", READS, "What the latest decisions would be under another configuration", [], "ToTryShape" -> 200 "Trial", post(policy::dry_run)),
    route!(GET "/v1/policy/approval", Needs::Token, "The approval policy that holds, and until when where it is loosened", [], "" -> 200 "PolicyInForce", get(policy::approval)),
    route!(PUT "/v1/policy/approval", RULES_OVER, "Put another approval policy in place, also for what waits; a looser one is asked for", [], "NewPolicyShape" -> 200 "PolicySet", put(policy::set)),
    route!(DELETE "/v1/policy/approval", RULES_OVER, "End a looser approval policy before its time", [], "" -> 200 "PolicySet", delete(policy::end)),
    route!(GET "/v1/policy/bundle", Needs::Token, "The signed policy that this gateway gives out, with its `ETag`; 304 where `If-None-Match` names it", [&[NEWER]], "" -> 200 "Bundle", get(bundle::give)),
    route!(PUT "/v1/policy/bundle", RULES_OVER, "Give out a signed policy that is newer than the one before", [], "Bundle" -> 200 "Published", put(bundle::take)),
    route!(POST "/v1/policy/machines", JUDGES, "Tell which policy of the centre a machine holds", [], "HoldingShape" -> 204 "", post(machines::tell)),
    route!(GET "/v1/policy/machines", READS, "Which policy each machine said that it holds, whoever is behind or silent first", [&[SILENT]], "" -> 200 "Machines", get(machines::list)),
    route!(GET "/v1/tokens", RULES_OVER, "Every token, without what makes it one", [], "" -> 200 "Tokens", get(tokens::list)),
    route!(POST "/v1/tokens", RULES_OVER, "Make a token; it is shown in this answer alone", [], "NewTokenShape" -> 201 "TokenShape", post(tokens::make)),
    route!(DELETE "/v1/tokens/{id}", RULES_OVER, "End a token for good, and the sessions of browsers under its name", [], "" -> 204 "", delete(tokens::revoke)),
    route!(GET "/v1/me", Needs::Token, "Who this token is", [], "" -> 200 "Me", get(tokens::whoami)),
    route!(GET "/v1/people", SEES, "Who logged in once, and what each is shown as", [], "" -> 200 "People", get(people::list)),
    route!(GET "/v1/delegations", SEES, "Who decides in whose place, and until when", [], "" -> 200 "Delegations", get(people::delegations)),
    route!(POST "/v1/delegations", DECIDES, "Let somebody else decide in one's place, until a time", [], "DelegateShape" -> 201 "Delegation", post(people::delegate)),
    route!(DELETE "/v1/delegations/{id}", Needs::Token, "End that before its time", [], "" -> 204 "", delete(people::take_back)),
    route!(GET "/v1/notices", READS, "Who is told of requests elsewhere, and what was sent to each, the newest first", [NOTICES], "" -> 200 "Notices", get(notices::list)),
    route!(POST "/v1/notices/{id}/repeat", RULES_OVER, "Try a message again that nobody took", [], "" -> 200 "NoticeState", post(notices::repeat)),
    route!(GET "/v1/chat/links", Needs::Token, "Which accounts of a chat speak for whom: one's own, and all for who administers", [], "" -> 200 "ChatLinks", get(chat::list)),
    route!(POST "/v1/chat/links", DECIDES, "A code that links an account of a chat to whoever asks, once and within ten minutes", [], "" -> 201 "ChatCode", post(chat::begin)),
    route!(DELETE "/v1/chat/links/{id}", Needs::Token, "End such a link", [], "" -> 204 "", delete(chat::end)),
    route!(GET "/v1/login", Needs::Nothing, "How people log in here", [], "" -> 200 "Ways", get(people::ways)),
    route!(POST "/v1/login", Needs::Nothing, "Log a browser in with a token", [], "LogIn" -> 200 "Me", post(tokens::log_in)),
    route!(POST "/v1/logout", Needs::Token, "Log this browser out; where the company's login has a page for that, it is named", [], "" -> 204 "", post(tokens::log_out)),
    route!(GET "/v1/servers", SEES, "MCP servers: what was accepted of each, what is held, what was called", [], "" -> 200 "Servers", get(servers::list)),
    route!(GET "/v1/servers/{server}", SEES, "What is held of an MCP server, and how it differs from what was accepted", [], "" -> 200 "Held", get(servers::show)),
    route!(POST "/v1/servers/{server}/accept", DECIDES, "Accept what is held of an MCP server, as it was shown", [], "AcceptShape" -> 200 "Accepted", post(servers::accept)),
    route!(GET "/v1/snapshots", READS, "What was kept on this machine before actions, the newest last", [], "" -> 200 "Snapshots", get(snapshots::list)),
    route!(GET "/v1/snapshots/{snapshot}", READS, "What a snapshot would bring back, and what is a conflict", [], "" -> 200 "Snapshot", get(snapshots::show)),
    route!(POST "/v1/snapshots/{snapshot}/undo", DECIDES, "Bring back what a snapshot holds; what stands there is kept before that", [], "UndoShape" -> 200 "Undone", post(snapshots::bring_back)),
    route!(POST "/mcp/{server}", Needs::Scope(Scope::Judge), "A message to an MCP server behind the gateway (Streamable HTTP, with and without sessions)", [], "McpMessage" -> 200 "McpMessage", post(mcp::post)),
    route!(GET "/mcp/{server}", Needs::Scope(Scope::Judge), "What an MCP server says by itself in a session, as server-sent events", [], "" -> 200 "McpEvents", get(mcp::get)),
    route!(DELETE "/mcp/{server}", Needs::Scope(Scope::Judge), "End a session with an MCP server", [], "" -> 204 "", delete(mcp::delete)),
    route!(GET "/healthz", Needs::Nothing, "Whether the process lives", [], "" -> 200 "Health", get(page::health)),
    route!(GET "/readyz", Needs::Nothing, "Whether decisions can be recorded", [], "" -> 200 "Health", get(page::ready)),
    route!(GET "/metrics", READS, "Counters for Prometheus", [], "" -> 200 "Metrics", get(page::metrics)),
    route!(GET "/openapi.json", Needs::Nothing, "This description", [], "" -> 200 "Description", get(page::description)),
];

/// The router, with the checks before it.
fn router(gateway: Shared) -> Router {
    let mut router = page::assets().merge(people::doors()).merge(chat::doors());
    for route in ROUTES {
        router = router.route(route.path, (route.handler)());
    }
    router
        .fallback(async || Problem::unknown("page"))
        .method_not_allowed_fallback(async || {
            Problem::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "other-method",
                "this route takes another method",
            )
        })
        // What a route takes was bounded when it was read.
        .layer(DefaultBodyLimit::max(mcp::LONGEST))
        .route_layer(middleware::from_fn_with_state(Arc::clone(&gateway), let_in))
        .layer(middleware::from_fn_with_state(Arc::clone(&gateway), around))
        .with_state(gateway)
}

/// Every request, and its answer.
#[derive(Clone)]
pub(super) struct Routes {
    gateway: Shared,
    router: Router,
}

impl Routes {
    pub(super) fn new(gateway: Shared) -> Self {
        Self { router: router(Arc::clone(&gateway)), gateway }
    }

    pub(super) async fn answer(&mut self, mut request: Request, peer: SocketAddr) -> Response {
        use tower_service::Service as _;

        match self.gateway.place.within(request.uri()) {
            Some(within) => *request.uri_mut() = within,
            None => return around_page(&self.gateway, &request),
        }
        if request.method() == Method::POST && request.uri().path() == JUDGE {
            return self.judged(request, peer).await;
        }
        request.extensions_mut().insert(ConnectInfo(peer));
        match self.router.call(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }

    /// As [`around`], [`let_in`] and the extractors do it for other routes.
    async fn judged(&self, request: Request, peer: SocketAddr) -> Response {
        let gateway = &self.gateway;
        let judged = async {
            gateway.door.host(request.uri(), request.headers())?;
            let route = route(JUDGE, &Method::POST).ok_or_else(|| Problem::unknown("page"))?;
            let (head, body) = admitted(gateway, route, request, peer).await?;
            let Some(caller) = head.extensions.get::<Caller>().cloned() else {
                return Err(Problem::unknown("page"));
            };
            let waits = Parameters::of(&head.uri)?;
            let gateway = State(Arc::clone(gateway));
            judge::judge(gateway, axum::Extension(caller), waits, head.headers, body).await
        };
        let response = judged.await.unwrap_or_else(Problem::into_response);
        finished(gateway, response)
    }
}

fn route(path: &str, method: &Method) -> Option<&'static Route> {
    ROUTES.iter().find(|route| route.path == path && route.method == *method)
}

/// Before a handler: the token and its scope.
async fn let_in(
    State(gateway): State<Shared>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let path = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let method = match *request.method() {
        Method::HEAD => &Method::GET,
        ref method => method,
    };
    // What is in no table is the page: it holds nothing but itself.
    let Some(route) = route(path, method) else { return Ok(next.run(request).await) };
    let (head, body) = admitted(&gateway, route, request, peer).await?;
    Ok(next.run(Request::from_parts(head, Body::from(body))).await)
}

/// A request of somebody who may use a route, with its whole body; who it is stands among its extensions.
async fn admitted(
    gateway: &Gateway,
    route: &Route,
    request: Request,
    peer: SocketAddr,
) -> Result<(Parts, Bytes), Problem> {
    let (mut head, body) = request.into_parts();
    gateway.door.origin(&head.headers)?;
    if route.path == mcp::PATH {
        gateway.fronts.check_way(&head.headers)?;
    }
    if route.path.starts_with(intercept::BY_ADDRESS)
        && let Some(value) = head.headers.get(header::AUTHORIZATION).and_then(intercept::bearer_of)
    {
        head.headers.insert(header::AUTHORIZATION, value);
    }
    if route.needs != Needs::Nothing {
        let caller = gateway.door.caller(&head.headers, route.path == EVENTS, peer).await?;
        match route.needs {
            Needs::Nothing | Needs::Token => {}
            Needs::Scope(scope) => permitted(&caller, scope)?,
            Needs::Either(one, other) => {
                permitted(&caller, one).or_else(|_| permitted(&caller, other))?;
            }
        }
        head.extensions.insert(caller);
    }
    let most = body.size_hint().upper();
    let longest = match route.needs {
        Needs::Nothing => LONGEST_UNKNOWN,
        _ if matches!(route.path, mcp::PATH | guards::EVALUATE) => {
            if let Some(place) = place(gateway, most).await? {
                head.extensions.insert(place);
            }
            mcp::LONGEST
        }
        _ => LONGEST_BODY,
    };
    Ok((head, whole(body, longest).await.map_err(Problem::closing)?))
}

/// Room for a message that may be long: a few are in memory at once, and others wait.
async fn place(gateway: &Gateway, most: Option<u64>) -> Result<Option<mcp::Large>, Problem> {
    if most.is_some_and(|most| usize::try_from(most).is_ok_and(|most| most <= mcp::LARGE)) {
        return Ok(None);
    }
    match timeout(BODY, Arc::clone(&gateway.large).acquire_owned()).await {
        Ok(Ok(permit)) => Ok(Some(mcp::Large::new(permit))),
        _ => {
            let words = "as many long messages are read as there is room for";
            let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no-room", words);
            Err(problem.retry_after(1).closing())
        }
    }
}

/// Around everything: the host before, the headers and the count after.
async fn around(State(gateway): State<Shared>, request: Request, next: Next) -> Response {
    let authorizes = request.uri().path().starts_with(intercept::AUTHORIZE);
    let guards = guards::is_ours(request.uri().path());
    let mut response = match gateway.door.host(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    if authorizes {
        response = intercept::closed(response);
    }
    if guards {
        response = guards::worded(response, gateway.door.per_minute());
    }
    finished(&gateway, response)
}

/// What is asked for without the slash that the page's own addresses stand on.
fn around_page(gateway: &Gateway, request: &Request) -> Response {
    let response = match gateway.door.host(request.uri(), request.headers()) {
        Ok(()) => {
            let mut response = StatusCode::PERMANENT_REDIRECT.into_response();
            if let Ok(page) = HeaderValue::from_str(&gateway.place.page("")) {
                response.headers_mut().insert(header::LOCATION, page);
            }
            response
        }
        Err(problem) => problem.into_response(),
    };
    finished(gateway, response)
}

fn finished(gateway: &Gateway, mut response: Response) -> Response {
    if response.status().is_client_error() && !is_problem(&response) {
        response = explained(&response).into_response();
    }
    gateway.telemetry.responded(response.status().as_u16());
    dress(gateway, &mut response);
    response
}

fn is_problem(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/problem+json"))
        || response.extensions().get::<mcp::Spoken>().is_some()
        || response.extensions().get::<Told>().is_some()
}

/// What the framework refuses by itself, in our words.
fn explained(response: &Response) -> Problem {
    let status = response.status();
    match status {
        StatusCode::NOT_FOUND => Problem::unknown("page"),
        StatusCode::METHOD_NOT_ALLOWED => {
            Problem::new(status, "other-method", "this route takes another method")
        }
        _ => Problem::bad_input("a parameter of the path or the query is not what it should be"),
    }
}

/// What every answer says; a handler that says something else is heard.
const DRESS: [(HeaderName, HeaderValue); 8] = [
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(page::CONTENT_SECURITY_POLICY)),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
];

fn dress(gateway: &Gateway, response: &mut Response) {
    let headers = response.headers_mut();
    headers.reserve(DRESS.len() + 1);
    for (name, value) in DRESS {
        headers.entry(name).or_insert(value);
    }
    if gateway.place.is_https() {
        let lasting = HeaderValue::from_static("max-age=31536000");
        headers.entry(header::STRICT_TRANSPORT_SECURITY).or_insert(lasting);
    }
}
