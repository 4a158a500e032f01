// Owns what one request for approval looks like: a line in the queue, and everything that a person decides by. It decides nothing.

import { now } from "./api.js";
import { el, moment, prose, riskWord, span, terms } from "./view.js";

const NOT_UNDERSTOOD = "not-understood";

const BECAME = {
  approved: "Approved", denied: "Denied", timed_out: "Expired", cancelled: "Taken back",
  auto_approved: "Let through by the policy", auto_denied: "Refused by the policy",
};

// What became of a request, and by whom, in one sentence.
export function fate(ask) {
  const word = BECAME[ask.status] ?? ask.status;
  const by = ask.approver ? ` by ${ask.approver}${ask.origin ? ` (${ask.origin})` : ""}` : "";
  return `${word}${by}${ask.reason ? `: ${ask.reason}` : ""}`;
}

// Whether a mistake here costs much, so that one key is not enough.
export function isGrave(ask) {
  return !["safe", "low", "medium"].includes(ask.risk);
}

function joined(text) {
  return text.segments.map((segment) => segment.text).join("");
}

function marked(segment) {
  if (segment.left_out) return el("span", { class: "left-out" }, segment.text);
  if (!segment.severity) return segment.text;
  const isGap = segment.rules === NOT_UNDERSTOOD;
  const rules = segment.rules.split(" ").map((rule) => rule === NOT_UNDERSTOOD ? "not understood" : rule).join(", ");
  const told = isGap ? "not understood" : `${segment.severity}: ${rules}`;
  return el("mark", { class: isGap ? "gap" : `severity-${segment.severity}`, title: told },
    segment.text, el("span", { class: "unseen" }, ` [${told}] `));
}

// Whether a part is left out of what would run: nobody approves what nobody can read.
export function isCut(details) {
  return !Array.isArray(details?.texts) || details.texts.some((text) => text.segments.some((segment) => segment.left_out));
}

const SIGNS = { "-": ["was", "deleted: "], "+": ["is", "added: "], " ": ["same", ""] };

const named = (pointer) => pointer.slice(1).replaceAll("/", " › ");

// An edit, from what was to what is in its place.
function change(one) {
  return el("figure", { class: "text" },
    el("figcaption", {}, `− ${named(one.old)}, + ${named(one.new)}`),
    el("pre", { class: "command edit", tabindex: "0", role: "group", "aria-label": "What the edit changes" },
      one.lines.map((line) => el("code", { class: `line ${SIGNS[line.sign]?.[0] ?? ""}` },
        el("span", { "aria-hidden": "true", class: "sign" }, line.sign), el("span", { class: "unseen" }, SIGNS[line.sign]?.[1] ?? ""),
        el("span", { class: "says" }, line.segments.map(marked), "\n")))));
}

// The texts of the call as they are sent, with what is dangerous marked. Both sides of an edit are one figure, where the first of them stands.
export function texts(details) {
  const told = new Set();
  const changes = new Map((details.changes ?? []).flatMap((one) => [[one.old, one], [one.new, one]]));
  return (details.texts ?? []).map((text) => {
    const edited = changes.get(text.in);
    if (!edited) return plain(details, text);
    if (told.has(edited)) return null;
    told.add(edited);
    return change(edited);
  });
}

function plain(details, text) {
  return el("figure", { class: "text" },
    details.texts.length > 1 || text.in !== "/command" ? el("figcaption", {}, text.in.slice(1).replaceAll("/", " › ")) : "",
    el("pre", { class: "command", tabindex: "0", role: "group", "aria-label": `What ${text.in.slice(1) || "it"} says` },
      el("code", {}, text.segments.map(marked))));
}

// Every finding that is high or critical, the worst first: whoever agrees has read each.
export function findings(details) {
  const all = details.findings ?? [];
  return all.length === 0 ? null : el("section", { class: "findings" }, el("h3", {}, "What was found"),
    el("ul", {}, all.map((one) => el("li", {}, riskWord(one.severity), " ", prose(one.message), " ", el("code", {}, one.rule),
      one.times > 1 ? ` ${one.times} times` : ""))));
}

// What another approval policy would let through: whoever agrees has read that as well.
export function loosens(details) {
  return details.policy ? section("What it would do", list(details.effects)) : null;
}

function list(items) {
  return items?.length ? el("ul", {}, items.map((item) => el("li", {}, item instanceof Node ? item : prose(item)))) : null;
}

function section(title, content, kind = "") {
  return content && el("section", { class: kind }, el("h3", {}, title), content);
}

// How long it may still be decided, which is told again every second.
export function left(ask) {
  const milliseconds = Date.parse(ask.expires) - now();
  return milliseconds > 0 ? span(milliseconds) : "expired";
}

export function isOver(ask) {
  return Date.parse(ask.expires) <= now();
}

export function countdown(ask) {
  const isClose = Date.parse(ask.expires) - now() < 30_000;
  return el("span", { class: isClose ? "left close" : "left", "data-expires": ask.expires },
    el("span", { class: "unseen" }, "expires in "), el("span", { class: "much" }, left(ask)));
}

export function votes(ask) {
  if (ask.needed < 2) return null;
  const names = (ask.agreed ?? []).map((vote) => vote.approver);
  return el("p", { class: "votes" }, `Two people must agree. ${names.length
    ? `${names.join(" and ")} did; ${ask.needed - names.length} more to go.` : "Nobody has yet."}`);
}

// The whole of it.
export function whole(ask) {
  const { details } = ask;
  const action = details.request?.action ?? {};
  const touched = (details.resources ?? []).map((resource) => el("code", {}, resource));
  return el("div", { class: "whole" },
    el("div", { class: "texts" }, texts(details)),
    isCut(details) ? el("p", { class: "warning" }, "It is too long to be shown whole, so that nobody can approve it. Deny it, or put something shorter in its place.") : null,
    el("p", { class: action.reversible ? "facts" : "facts lasting" }, action.reversible ? "Can be undone. " : "Cannot be undone. ",
      el("span", {}, action.impact ? `${action.impact}.` : "", details.policy ? "" : details.cwd
        ? [" Runs in ", el("code", {}, details.cwd), "."] : " Nobody said in which directory it runs.")),
    details.summary && el("blockquote", { class: "claim" },
      el("p", { class: "whose" }, "The agent says, and nobody checked:"), el("p", {}, details.summary)),
    details.understood ? null : el("p", { class: "warning" },
      "Not everything here was understood: what is underlined with dots could do more than is told below."),
    el("div", { class: "columns" },
      section("Why it asks", list(details.reasons)),
      section("What it would do", list(details.effects)),
      section("What it touches", list(touched)),
      section("Before you agree", list(details.recommendations))),
    votes(ask),
    terms([
      ["Understood", details.understood ? "all of it" : "in part"],
      ["“Always” would allow", details.always ? el("code", {}, details.always) : "nothing: there is no rule for such calls"],
      ["Its like", details.alike ? prose(details.alike.words) : "is asked about each time"],
      ["Session", ask.session && el("a", { href: `#/session/${encodeURIComponent(ask.session)}` }, ask.session)],
      ["Asked", [moment(ask.asked), ` with the token of ${ask.requester}`]],
      ["Record", el("a", { href: `#/record/${ask.record}` }, `№ ${ask.record}`)],
    ]));
}

// The head of a card.
export function head(ask) {
  return [
    riskWord(ask.risk),
    el("span", { class: "who" }, ask.agent ?? "an agent without a name"),
    el("span", { class: "tool" }, ask.tool),
    countdown(ask),
  ];
}

// What is given to be edited: the arguments, texts whole where they are shown whole, and what must not be left in them.
export function editable(ask) {
  const parameters = structuredClone(ask.details.request?.action?.parameters ?? {});
  const cuts = [];
  for (const text of ask.details.texts ?? []) {
    const keys = text.in.slice(1).split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = keys.pop();
    const holder = keys.reduce((at, key) => at && Object.hasOwn(at, key) ? at[key] : undefined, parameters);
    if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, last) || typeof holder[last] !== "string") continue;
    Object.defineProperty(holder, last, { value: joined(text), enumerable: true, writable: true, configurable: true });
    cuts.push(...text.segments.filter((segment) => segment.left_out).map((segment) => segment.text.trim()));
  }
  return { parameters, cuts: cuts.filter((cut) => cut !== "") };
}
