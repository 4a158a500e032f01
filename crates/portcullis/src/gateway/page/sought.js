// Owns what of the inbox is looked for: the search, the filters, and how they stand in the address of the page. What comes of it, `inbox.js` shows.

import { query } from "./api.js";
import { choice, el, field } from "./view.js";

const NAMES = ["text", "risk", "waited", "class", "project", "agent", "rule", "alike", "mine", "put_off", "together"];
const RISKS = ["critical", "unknown", "high", "medium", "low", "safe"];
const CLASSES = ["read-only", "edit", "network", "execute", "destructive", "unknown"];
const WAITED = [["60", "over a minute"], ["300", "over 5 minutes"], ["3600", "over an hour"], ["86400", "over a day"]];

const BOXES = [["together", "The alike together"], ["mine", "What I see to"], ["put_off", "Also what I put off"]];

const any = (words) => [["", "any"], ...words.map((word) => Array.isArray(word) ? word : [word, word])];

// What the address says.
export function sought(parameters) {
  return Object.fromEntries(NAMES.map((name) => [name, parameters.get(name) ?? ""]).filter(([, value]) => value !== ""));
}

// The same as an address of the page, of one request or of none.
export const address = (wanted, id) => query(`#/inbox${id ? `/${id}` : ""}`, wanted);

// The same as the gateway is asked for it.
export function asked(wanted, me) {
  const { waited, together: _, mine, put_off, ...rest } = wanted;
  if (mine) rest.assigned = me.name;
  rest.snoozed = put_off ? "with" : "without";
  if (!waited) return rest;
  return { ...rest, asked_before: new Date(Date.now() - Number(waited) * 1000).toISOString() };
}

export const isNarrow = (wanted) => NAMES.some((name) => name !== "together" && name !== "put_off" && wanted[name]);

// The form. `changed` is called with what is looked for from now on.
export function form(wanted, changed) {
  const control = {
    text: el("input", { type: "search", value: wanted.text ?? "", autocomplete: "off", placeholder: "a command, an agent, a session", maxlength: "100" }),
    risk: choice("risk", any(RISKS), wanted.risk ?? ""),
    waited: choice("waited", any(WAITED), wanted.waited ?? ""),
    class: choice("class", any(CLASSES), wanted.class ?? ""),
    project: el("input", { type: "text", value: wanted.project ?? "", autocomplete: "off" }),
    agent: el("input", { type: "text", value: wanted.agent ?? "", autocomplete: "off" }),
    rule: el("input", { type: "text", value: wanted.rule ?? "", autocomplete: "off", spellcheck: "false" }),
  };
  const boxes = Object.fromEntries(BOXES.map(([name]) => [name, el("input", { type: "checkbox", id: name, checked: Boolean(wanted[name]) })]));
  const tell = () => {
    const next = Object.fromEntries(Object.entries(control).map(([name, one]) => [name, one.value.trim()]).filter(([, value]) => value));
    for (const [name, box] of Object.entries(boxes)) if (box.checked) next[name] = "1";
    changed(next);
  };
  // What is typed counts once it is meant; what is chosen, at once.
  let typed = 0;
  control.text.addEventListener("input", () => { clearTimeout(typed); typed = setTimeout(tell, 250); });
  for (const one of [control.risk, control.waited, control.class, control.project, control.agent, control.rule, ...Object.values(boxes)]) one.addEventListener("change", tell);
  const isOpen = ["waited", "class", "project", "agent", "rule"].some((name) => wanted[name]);
  return el("form", { class: "sought", role: "search", "aria-label": "What waits", onsubmit: (event) => { event.preventDefault(); clearTimeout(typed); tell(); } },
    field("Search", control.text), field("Risk", control.risk),
    el("details", { open: isOpen }, el("summary", {}, "More filters"), el("div", { class: "filters" },
      field("Has waited", control.waited), field("Kind of action", control.class), field("Project", control.project),
      field("Agent", control.agent), field("Rule", control.rule))),
    BOXES.map(([name, words]) => el("div", { class: "box" }, boxes[name], el("label", { for: name }, words))));
}
