// Owns what the gate goes by: its rules, its policy with a trial of another one, and the tokens that let people and agents in.

import { call, get, post } from "./api.js";
import { choice, dialog, el, field, moment, replace, riskWord, say, shell, table, verdictWord } from "./view.js";

function wrong(place, problem) {
  if (problem.status !== 401) replace(place, el("p", { class: "warning", role: "alert" }, `Not done: ${problem.message}.`));
}

export function rules(place, me, argument, parameters) {
  const text = el("input", { type: "search", value: parameters.get("text") ?? "" });
  const found = el("div", {}, "Looking …");
  replace(place, ...shell("Rules", el("div", { class: "filters", role: "search" }, field("Holds", text)), found));
  let all = [];
  const show = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const like = all.filter((rule) => words.every((word) => `${rule.rule} ${rule.message} ${rule.severity} ${rule.category}`.toLowerCase().includes(word)));
    replace(found, table(`${like.length} of ${all.length} rules`, ["Rule", "Severity", "What it says", "What helps"], like.map((rule) => [
      el("code", {}, rule.rule), riskWord(rule.severity), rule.message, rule.remedy])));
  };
  text.addEventListener("input", show);
  get("/v1/rules").then((shape) => { all = shape.rules; show(); }, (problem) => wrong(found, problem));
  return {};
}

// Any value as a person reads it.
function said(value) {
  if (value === null || value === undefined) return el("span", { class: "note" }, "not set");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) {
    return value.length === 0 ? el("span", { class: "note" }, "none") : el("ul", {}, value.map((one) => el("li", {}, said(one))));
  }
  if (typeof value === "object") {
    const pairs = Object.entries(value);
    return pairs.length === 0 ? el("span", { class: "note" }, "none") : part(pairs);
  }
  return el("code", {}, value);
}

function part(pairs) {
  return el("dl", { class: "terms" }, pairs.map(([name, value]) => el("div", {}, el("dt", {}, name.replaceAll("_", " ")), el("dd", {}, said(value)))));
}

// What most people look for.
const FIRST = ["policy", "mode", "confirmation", "deny", "ask", "allow", "floors", "severity"];

const APPROVAL = ["confirm_high_risk", "confirm_medium_and_up", "confirm_all", "auto_deny", "auto_approve"];

export function policy(place, me) {
  const found = el("div", {}, "Looking …");
  const tried = el("div", { role: "status" });
  const text = el("textarea", { rows: "8", spellcheck: "false", value: 'confirmation = "confirm_all"\n' });
  const attempt = async (event) => {
    event.preventDefault();
    replace(tried, el("p", { class: "note" }, "The latest decisions are judged again …"));
    try {
      trial(tried, await post("/v1/policy/dry-run", { toml: text.value }));
    } catch (problem) {
      wrong(tried, problem);
    }
  };
  replace(place, ...shell("Policy", found,
    el("section", { "aria-labelledby": "try" }, el("h2", { id: "try" }, "Try another"),
      el("p", {}, "The latest decisions of the record are judged again, and nothing is changed."),
      el("form", { onsubmit: attempt }, field("Configuration, as a file has it", text),
        el("div", { class: "buttons" }, el("button", { type: "submit", class: "approve" }, "Try it"))), tried),
    me.scopes.includes("admin") ? setting() : null));
  const read = () => get("/v1/policy").then((shape) => {
    const first = FIRST.filter((name) => Object.hasOwn(shape, name));
    const others = Object.keys(shape).filter((name) => name !== "v" && !FIRST.includes(name));
    replace(found, part([...first, ...others].map((name) => [name, shape[name]])));
  }, (problem) => wrong(found, problem));
  read();
  return {};

  function setting() {
    const chosen = choice("approval", APPROVAL.map((word) => [word, word.replaceAll("_", " ")]));
    const hours = choice("lasts", [["900", "15 minutes"], ["3600", "an hour"], ["14400", "4 hours"], ["86400", "a day"]], "3600");
    const done = el("div", { role: "status" });
    const put = async () => {
      try {
        const { decided, approval } = await call("PUT", "/v1/policy/approval", { approval_policy: chosen.value, lasts: Number(hours.value) });
        if (approval) {
          return replace(done, el("p", { class: "warning" }, "It is looser than what holds, so that it has to be approved first: ",
            el("a", { href: "#/inbox" }, "it waits in the inbox"), "."));
        }
        replace(done, el("p", { class: "good" }, `In place. ${decided} waiting ${decided === 1 ? "request was" : "requests were"} decided by it.`));
        read();
      } catch (problem) {
        wrong(done, problem);
      }
    };
    return el("section", { "aria-labelledby": "set" }, el("h2", { id: "set" }, "Approval policy"),
      el("p", {}, "What is stricter holds at once, for every gateway on this record and for what waits. What is looser is a request that has to be " +
        "approved, and ends after the time that you say. Both are recorded under your name."),
      el("form", {
        onsubmit: (event) => {
          event.preventDefault();
          sure(`Put “${chosen.value.replaceAll("_", " ")}” in place?`, "Put in place", put,
            "What is stricter takes effect at once; what is looser is asked for.");
        },
      }, field("From now on", chosen), field("Where it is looser, for", hours), el("div", { class: "buttons" }, el("button", { type: "submit", class: "deny" }, "Put in place …"))), done);
  }
}

function sure(title, word, act, note = "This takes effect at once.") {
  const shown = dialog(title, el("p", {}, note), [
    el("button", { type: "button", class: "deny", onclick: () => { shown.close(); act(); } }, word),
    el("button", { type: "button", class: "quiet", onclick: () => shown.close() }, "Go back"),
  ]);
}

function trial(place, shape) {
  const { mistake, calls, changed, loosened, changes, now, then, left_out: out } = shape;
  if (mistake) {
    replace(place, el("p", { class: "warning" }, mistake));
    return;
  }
  replace(place,
    el("p", { class: loosened ? "warning" : "good" }, `Of ${calls} calls ${changed} would be decided otherwise, ${loosened} of them more loosely.`,
      out ? ` ${out} could not be judged again.` : ""),
    table("All of them", ["When", "Allow", "Ask", "Deny"], [["now", now], ["then", then]].map(([word, one]) => [word, String(one.allow), String(one.ask), String(one.deny)])),
    changes.length ? table(`What would change${changes.length < changed ? `, the first ${changes.length}` : ""}`, ["Call", "Now", "Then", "Risk", "Rule"],
      changes.map((one) => [el("code", {}, one.call), verdictWord(one.now), verdictWord(one.then), riskWord(one.risk), one.rule ?? ""])) : null);
}

const SCOPES = [
  ["judge", "has calls judged: for agents, and never with another one"], ["approve", "decides requests"],
  ["read", "reads the record"], ["admin", "makes tokens, changes the policy"],
];

export function tokens(place, me) {
  const found = el("div", {}, "Looking …");
  const made = el("div", { role: "status" });
  const name = el("input", { type: "text", required: true, maxlength: "64", pattern: "[A-Za-z0-9._@\\-]+", autocomplete: "off" });
  const days = el("input", { type: "number", min: "1", max: "3650" });
  const boxes = SCOPES.map(([scope, words]) => [scope, el("input", { type: "checkbox", id: `scope-${scope}`, name: "scope" }), words]);
  const make = async (event) => {
    event.preventDefault();
    const scopes = boxes.filter(([, box]) => box.checked).map(([scope]) => scope);
    const expires = days.value ? { expires_in: Number(days.value) * 86_400 } : {};
    try {
      once(made, await post("/v1/tokens", { name: name.value.trim(), scopes, ...expires }));
      event.target.reset();
      read();
    } catch (problem) {
      wrong(made, problem);
    }
  };
  replace(place, ...shell("Tokens", found, el("section", { "aria-labelledby": "make" }, el("h2", { id: "make" }, "Make one"),
    el("form", { onsubmit: make }, field("Whose", name, "Letters, digits, and . _ @ -: the name under which decisions are recorded."),
      el("fieldset", {}, el("legend", {}, "What may be done with it"), boxes.map(([scope, box, words]) =>
        el("div", { class: "box" }, box, el("label", { for: box.id }, el("strong", {}, scope), ` ${words}`)))),
      field("Ends after how many days", days, "Never, where it is empty."),
      el("div", { class: "buttons" }, el("button", { type: "submit", class: "approve" }, "Make it"))), made)));
  const read = async () => {
    try {
      const { tokens: all } = await get("/v1/tokens");
      replace(found, el("p", { class: "note" }, "Where two people must agree, a token counts that was made on the gateway’s own machine: “one of two”. Those made below decide what takes one."),
        table("Tokens and log-ins", ["Name", "Kind", "May", "Made", "Ends", "End it"], all.map((token) => [
        token.name, [token.holder === "browser" ? "log-in" : "token", token.made_here ? ", one of two" : ""], token.scopes.join(", "), moment(token.created),
        token.revoked ? ["ended ", moment(token.revoked)] : token.expires ? moment(token.expires) : "never",
        token.revoked ? "" : el("button", {
          type: "button", class: "quiet", "aria-label": `End ${token.name}, made ${token.created}`,
          onclick: () => sure(`End this token of ${token.name} for good?`, "End it", () => end(token)),
        }, "End …")])));
    } catch (problem) {
      wrong(found, problem);
    }
  };
  const end = async (token) => {
    try {
      await call("DELETE", `/v1/tokens/${token.id}`);
      say(`The token of ${token.name} is ended.`, "good");
      read();
    } catch (problem) {
      say(`Not done: ${problem.message}.`, "bad");
    }
  };
  read();
  return {};
}

function once(place, token) {
  const text = el("output", { class: "secret" }, token.token);
  const copy = () => navigator.clipboard?.writeText(token.token).then(() => say("Copied.", "good"), () => say("Not copied.", "bad"));
  replace(place, el("p", { class: "good" }, `The token of ${token.name}. It is shown now and never again:`), text,
    el("div", { class: "buttons" }, el("button", { type: "button", class: "quiet", onclick: copy }, "Copy"),
      el("button", { type: "button", class: "quiet", onclick: () => replace(place) }, "I have it")));
}
