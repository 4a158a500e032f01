// Owns what people say to each other about a request, who of them sees to it, and that somebody puts it off. None of it decides, and no agent is told it.

import { call, get, now, post } from "./api.js";
import { choice, el, field, moment, replace, say } from "./view.js";

const LONGEST = 1000;
// For how long somebody puts a request off, in minutes.
const OFF = [["", "Put it off …"], ["15", "for 15 minutes"], ["60", "for an hour"], ["480", "for 8 hours"]];
// What was typed and not said yet.
const drafts = new Map();

// What people are shown as, by name: asked for once.
let people;
const known = () => people ??= get("/v1/people").then((told) => told.people, () => []);

// The section on one request; `changed` looks again at what waits. Its `look` reads anew what others did.
export function talk(one, me, changed) {
  const at = `/v1/approvals/${one.id}`;
  const mayDecide = me.scopes.includes("approve");
  const waits = one.status === "pending";
  const who = el("div", { class: "tended" });
  const turns = el("div", { class: "turns" });
  const said = el("ol", { class: "said" });
  const wrong = el("p", { class: "warning", role: "alert" });
  const text = el("textarea", { rows: "2", maxlength: String(LONGEST), value: drafts.get(one.id) ?? "", oninput: () => drafts.set(one.id, text.value) });
  const form = el("form", { onsubmit: (event) => { event.preventDefault(); comment(); } },
    field("Say something about it", text, "Other people read it. It decides nothing, and the agent is not told."),
    el("button", { type: "submit", class: "quiet" }, "Say it"), wrong);
  const section = el("section", { class: "talk", "aria-labelledby": "talk" }, el("h2", { id: "talk" }, "Among people"), who, turns, said, mayDecide ? form : null);
  let shown = "";

  async function comment() {
    if (!text.value.trim()) return;
    try {
      await show(await post(`${at}/comments`, { text: text.value }));
      text.value = "";
      drafts.delete(one.id);
      replace(wrong);
    } catch (problem) {
      replace(wrong, `Not said: ${problem.message}.`);
    }
  }

  async function put(what, body, words) {
    try {
      await show(await call("PUT", `${at}/${what}`, body));
      say(words, "good");
    } catch (problem) {
      say(`Not done: ${problem.message}.`, "bad");
    }
    changed();
  }

  const assign = (to, words) => put("assignment", { to }, words);
  const snooze = (until, words) => put("snooze", { until }, words);

  async function show(told) {
    // What did not change stays as it is, with whatever has the focus in it.
    if (JSON.stringify(told) === shown) return;
    shown = JSON.stringify(told);
    const all = await known();
    const name = (of) => of === me.name ? "You" : all.find((person) => person.name === of)?.shown ?? of;
    const off = choice("off", OFF, "");
    off.setAttribute("aria-label", "Put it off, for yourself alone");
    off.addEventListener("change", () => off.value && snooze(new Date(now() + Number(off.value) * 60_000).toISOString(), "Put off, for you alone."));
    const to = choice("to", [["", "Somebody else …"], ...all.filter((person) => person.name !== me.name).map((person) => [person.name, person.shown])], "");
    to.setAttribute("aria-label", "Who sees to it");
    to.addEventListener("change", () => to.value && assign(to.value, `${name(to.value)} sees to it.`));
    const button = (label, act) => el("button", { type: "button", class: "quiet", onclick: act }, label);
    const acts = mayDecide && waits ? [
      told.assigned === me.name ? null : button("I see to it", () => assign(me.name, "You see to it.")),
      told.assigned ? button("Nobody in particular", () => assign(null, "Nobody in particular sees to it.")) : null,
      all.some((person) => person.name !== me.name) ? to : null,
      told.snoozed ? button("Show it to me again", () => snooze(null, "It is shown to you again.")) : off,
    ] : null;
    replace(who, el("p", {}, told.assigned ? `${name(told.assigned)} ${told.assigned === me.name ? "see" : "sees"} to it. ` : "Nobody in particular sees to it. ",
      told.snoozed ? ["You put it off until ", moment(told.snoozed), ". "] : null), acts);
    replace(turns, carried(told, waits));
    replace(said, told.comments.map((it) => el("li", {}, el("span", { class: "whose" }, name(it.by), " ", moment(it.time)), el("p", {}, it.text))));
  }

  const look = async () => {
    try {
      await show(await get(`${at}/talk`));
    } catch { /* It is asked again with whatever changes next. */ }
  };
  look();
  return { id: one.id, status: one.status, section, look };
}

const BECAME = { waiting: "is told", sent: "was told", needless: "needed no word", dead: "could not be told" };

// Whose turn it is while nobody decides, and who was told of it: one line each.
function carried(told, waits) {
  const is = (since) => Date.parse(since) <= now();
  const group = (one) => one.group === "*" ? "everybody who can log in" : one.group;
  const groups = waits ? told.groups.map((one) => el("li", {}, group(one), is(one.since) ? " may approve it" : [" may approve it from ", moment(one.since), " on"])) : [];
  const words = (one) => !waits && one.state === "waiting" ? "is not told any more" : BECAME[one.state] ?? one.state;
  const sent = told.told.map((one) => el("li", {}, `${one.receiver} ${words(one)}${one.again ? " again" : ""} `, moment(one.time)));
  return [...groups, ...sent].length ? el("ul", {}, groups, sent) : null;
}
