// Owns the way of a person's word to the gateway: yes, no, something else in its place, and one word on many; never by accident. Whether it counts, the
// gateway says.

import { get, post } from "./api.js";
import { editable, fate, findings, isCut, isGrave, isOver, loosens, texts } from "./ask.js";
import { dialog, el, field, prose, replace, riskWord, say, visibleJson } from "./view.js";

const LONGEST_REASON = 1000;
// Nobody reads more than so many at once.
const TOGETHER = 20;

// What somebody began to say, kept until it was said: the gateway may be away just then.
const drafts = new Map();
const busy = new Set();

export const isBusy = (id) => busy.has(id);

export const hasAgreed = (one, me) => (one.agreed ?? []).some((vote) => vote.approver === me.name);

async function decide(one, body, after) {
  if (busy.has(one.id)) return undefined;
  busy.add(one.id);
  try {
    const then = await post(`/v1/approvals/${one.id}/decision`, { ...body, action: one.action });
    say(then.status === "pending"
      ? `You agreed to ${one.tool}. Another person must agree too.` : `${one.tool}: ${fate(then)}.`, "good");
  } catch (problem) {
    const then = problem.shape?.approval;
    if (problem.code === "decided" && then) say(`Too late: ${one.tool} was decided before. ${fate(then)}.`, "bad");
    else if (problem.code === "own-request") say("You asked for this yourself: somebody else must decide.", "bad");
    else if (problem.code === "step-up" && problem.shape?.login) proveAnew(problem);
    else say(`Not done: ${problem.message}.`, "bad");
    return problem;
  } finally {
    await after();
    busy.delete(one.id);
  }
  return undefined;
}

// What is grave is approved by whoever proved lately who they are; they come back to this very request.
function proveAnew(problem) {
  const shown = dialog("Prove who you are", el("p", {}, `${problem.message}. You come back to this request.`), [
    el("a", { class: "button approve", href: problem.shape.login }, "Log in anew"),
    el("button", { type: "button", class: "quiet", onclick: () => shown.close() }, "Go back"),
  ]);
}

// `read` is what its reader has had before their eyes; `after` looks again at what waits.
export function approve(one, me, read, after) {
  if (!isApprovable(one, me, read)) return undefined;
  if (!isGrave(one)) return decide(one, { decision: "approve" }, after);
  const yes = () => { shown.close(); decide(one, { decision: "approve" }, after); };
  const shown = dialog("Approve this?", el("div", {},
    el("p", {}, riskWord(one.risk), one.details.request?.action?.reversible ? "" : " It cannot be undone."),
    texts(one.details), loosens(one.details), findings(one.details) ?? el("p", {}, prose(one.details.reasons?.[1] ?? one.details.reasons?.[0] ?? ""))), [
    el("button", { type: "button", class: "approve", onclick: yes }, "Approve ", el("kbd", {}, "y")),
    el("button", { type: "button", class: "quiet", onclick: () => shown.close() }, "Go back ", el("kbd", {}, "Esc")),
  ], { y: yes, n: () => shown.close() });
  return undefined;
}

// Whether it may be approved now: by somebody who did not agree yet, in time, and read to its end. Says why where it may not.
function isApprovable(one, me, read) {
  if (hasAgreed(one, me)) return false;
  if (isOver(one)) say("It has expired.", "bad");
  else if (isCut(one.details)) say("It is too long to be shown whole, so that nobody can approve it.", "bad");
  else if (read.isFresh()) say("It has only just come into view: read it, then approve.", "bad");
  else if (!read.isWhole()) say("Read it first: not all of it was on the screen yet.", "bad");
  else return true;
  return false;
}

// Approves it together with whatever is like it, which is told first.
export function approveWithLike(one, me, read, after) {
  if (!one.details.alike || !isApprovable(one, me, read)) return;
  const { words, workspace } = one.details.alike;
  const yes = (where) => { shown.close(); decide(one, { decision: "approve", alike: where }, after); };
  const choice = (where, label) => el("button", { type: "button", class: "approve", onclick: () => yes(where) }, label);
  const shown = dialog("Approve this and its like?", el("div", {},
    el("p", {}, riskWord(one.risk), ` Nobody is asked any more about ${one.requester}’s `, prose(words), ". Whatever else they do is asked about as before."), texts(one.details)), [
    one.session ? choice("session", "In this session, for 8 hours") : "",
    workspace ? choice("project", `In ${workspace}, for 30 days`) : "",
    el("button", { type: "button", class: "quiet", onclick: () => shown.close() }, "Go back ", el("kbd", {}, "Esc")),
  ]);
}

// Asks why, and hands what was written to `no`, which gives the problem where there is one.
function asksWhy(title, draft, note, no) {
  const reason = el("input", {
    type: "text", maxlength: String(LONGEST_REASON), autocomplete: "off", value: drafts.get(draft) ?? "",
    oninput: () => drafts.set(draft, reason.value),
  });
  const wrong = el("p", { class: "warning", role: "alert" });
  const said = async () => {
    const problem = await no(reason.value.trim() || undefined);
    // What was typed stays until it was said, or says nothing any more.
    if (problem && ![403, 404, 409].includes(problem.status)) return replace(wrong, `Not done: ${problem.message}. It can be tried again.`);
    drafts.delete(draft);
    return shown.close();
  };
  const shown = dialog(title, el("form", { onsubmit: (event) => { event.preventDefault(); said(); } }, note,
    field("Reason, if you like", reason, "The agent is told, so that it can do something else."), wrong), [
    el("button", { type: "button", class: "deny", onclick: said }, "Deny"),
    el("button", { type: "button", class: "quiet", onclick: () => shown.close() }, "Go back"),
  ]);
  reason.focus();
}

export function deny(one, after) {
  asksWhy("Deny this?", one.id, null, (reason) => decide(one, { decision: "deny", reason }, after));
}

// The same no to many: `body` says to which.
export function denyMany(title, note, body, after) {
  asksWhy(title, JSON.stringify(body), note, async (reason) => {
    try {
      const { decided } = await post("/v1/decisions", { ...body, decision: "deny", reason });
      say(`${decided} ${decided === 1 ? "request is" : "requests are"} denied.`, "good");
      return undefined;
    } catch (problem) {
      return problem;
    } finally {
      await after();
    }
  });
}

// The same yes to many: none above medium, each shown whole, and only once the end of all that was on the screen.
export async function approveMany(ones, after) {
  const grave = ones.filter(isGrave);
  if (grave.length) return say(`${grave.length} of them ${grave.length === 1 ? "is" : "are"} above medium: each of those is looked at by itself.`, "bad");
  if (ones.length > TOGETHER) return say(`Nobody reads more than ${TOGETHER} at once: choose fewer.`, "bad");
  let whole;
  try {
    whole = await Promise.all(ones.map(({ id }) => get(`/v1/approvals/${id}`)));
  } catch (problem) {
    return say(`They cannot be read: ${problem.message}.`, "bad");
  }
  whole = whole.filter((one) => one.status === "pending" && !isCut(one.details) && !isGrave(one));
  if (whole.length === 0) return say("None of them can be approved any more.", "bad");
  const end = el("p", { class: "note" }, "That was all of it.");
  const yes = async () => {
    shown.close();
    try {
      const { decided } = await post("/v1/decisions", { decision: "approve", ids: whole.map((one) => one.id) });
      say(`${decided} of ${whole.length} are approved.`, decided === whole.length ? "good" : "bad");
    } catch (problem) {
      say(`Not done: ${problem.message}.`, "bad");
    } finally {
      await after();
    }
  };
  const button = el("button", { type: "button", class: "approve", disabled: true, onclick: yes }, `Approve these ${whole.length}`);
  const shown = dialog(`Approve ${whole.length} together?`, el("div", { class: "many", tabindex: "0", role: "group", "aria-label": "What would run" },
    whole.map((one) => el("section", {}, el("h3", {}, riskWord(one.risk), ` ${one.agent ?? "an agent"}, ${one.tool}`), texts(one.details))), end), [
    button, el("button", { type: "button", class: "quiet", onclick: () => shown.close() }, "Go back"),
  ]);
  new IntersectionObserver((entries, self) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    self.disconnect();
    setTimeout(() => { button.disabled = false; }, 1000);
  }).observe(end);
  return undefined;
}

export function edit(one, read, after) {
  // What is kept of it is agreed to as well.
  if (!isCut(one.details) && !read.isWhole()) return say("Read it first: not all of it was on the screen yet.", "bad");
  const { parameters, cuts } = editable(one);
  const text = el("textarea", { rows: "10", spellcheck: "false", value: visibleJson(parameters) });
  const wrong = el("p", { class: "warning", role: "alert" });
  const send = async () => {
    const told = unfit(text.value, cuts);
    replace(wrong, told ?? "");
    if (told) return text.focus();
    const body = { decision: "approve", modified: { arguments: JSON.parse(text.value) }, reason: "edited" };
    const problem = await decide(one, body, after);
    if (problem && problem.status !== 409) return replace(wrong, `Not done: ${problem.message}.`);
    return shown.close();
  };
  const shown = dialog("Approve something else in its place", el("div", {},
    el("p", {}, "What you write is judged as every call is, and only it may run then."),
    field(`Arguments of ${one.tool}, as JSON`, text), wrong), [
    el("button", { type: "button", class: "approve", onclick: send }, "Approve what I wrote"),
    el("button", { type: "button", class: "quiet", onclick: () => shown.close() }, "Go back"),
  ]);
  return text.focus();
}

// Why what somebody wrote cannot be sent; nothing where it can.
function unfit(text, cuts) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `This is no JSON: ${error.message}`;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "The arguments must be an object.";
  if (text.includes("***")) return "A secret is masked in it (***): write where it comes from, say a variable, or deny.";
  const texts = [];
  const collect = (one) => {
    if (typeof one === "string") texts.push(one);
    else if (typeof one === "object" && one !== null) Object.values(one).forEach(collect);
  };
  collect(value);
  if (cuts.some((cut) => texts.some((one) => one.includes(cut)))) return "A part of it is left out here: write it whole, or deny.";
  return null;
}
