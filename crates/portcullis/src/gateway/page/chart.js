// Owns the dashboard: hours or days in numbers, by project and by rule, each drawing beside the table that says the same; and what rules would have saved.

import { get, post, query } from "./api.js";
import { choice, el, field, moment, replace, shell, span, svg, table } from "./view.js";

const WIDTH = 720;
const HEIGHT = 220;
const BOTTOM = 24;
const LEFT = 40;
const KINDS = ["deny", "ask", "allow"];

const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const label = (hours) => hours === "24" ? hour : date;

const SPANS = [["24", "24 hours"], ["168", "7 days"], ["720", "30 days"]];
const TRY = "/v1/policy/dry-run";

export function dashboard(place, me, argument, parameters) {
  const known = SPANS.some(([hours]) => hours === parameters.get("hours"));
  const wanted = { hours: known ? parameters.get("hours") : "24", project: parameters.get("project") ?? "" };
  const found = el("div", {}, "Looking …");
  const hours = choice("hours", SPANS, wanted.hours);
  const project = choice("project", projects([], wanted.project), wanted.project);
  const turn = () => { location.hash = query("#/dashboard", { hours: hours.value === "24" ? "" : hours.value, project: project.value }); };
  for (const control of [hours, project]) control.addEventListener("change", turn);
  replace(place, ...shell("Dashboard", el("div", { class: "filters" }, field("The last", hours), field("Project", project)), found, saved()));
  let due = null;
  async function read() {
    due = null;
    try {
      const told = await get(query("/v1/summary", wanted));
      draw(found, told, wanted);
      const names = told.projects.map((one) => one.project);
      if (document.activeElement !== project) replace(project, projects(names, wanted.project).map(([value, label]) => el("option", { value, selected: value === wanted.project }, label)));
      if (told.cut && due === null) due = setTimeout(read, 1000);
    } catch (problem) {
      if (problem.status !== 401) replace(found, el("p", { class: "warning" }, `Not read: ${problem.message}.`));
    }
  }
  read();
  return { changed: () => { due ??= setTimeout(read, 3000); }, end: () => clearTimeout(due) };
}

function projects(names, chosen) {
  const all = chosen && !names.includes(chosen) ? [...names, chosen] : names;
  return [["", "all of them"], ...all.map((name) => [name, name])];
}

const time = (milliseconds) => milliseconds === null || milliseconds === undefined ? "–" : span(milliseconds);
const rate = (asked, of) => of ? (100 * asked / of).toFixed(1) : "–";

function draw(place, told, { hours, project }) {
  const actions = told.allow + told.ask + told.deny;
  const { count, p50, p90, p99, sum } = told.answered_after_ms;
  const words = SPANS.find(([value]) => value === hours)[1];
  replace(place,
    el("dl", { class: "figures" },
      figure("asks per 100 calls", rate(told.ask, actions)), figure(`calls in ${words}`, actions.toLocaleString("en-GB")),
      figure("refused", told.deny.toLocaleString("en-GB")), figure("wait now", String(told.pending)),
      figure("median time to an answer", time(p50))),
    told.cut && el("p", { class: "warning" }, "Not all of it is summed up yet, or more was asked than is summed up here."),
    el("section", { "aria-labelledby": "over-time" }, el("h2", { id: "over-time" }, project ? `Calls of ${project} over time` : "Decisions over time"),
      el("p", { class: "legend", "aria-hidden": "true" }, ["allow", "ask", "deny"].map((kind) => el("span", { class: `key-${kind}` }, kind))),
      stacked(told.hours, words, label(hours)),
      el("details", {}, el("summary", {}, "The same as a table"), table("Decisions of each stretch", ["From", "Allow", "Ask", "Deny"],
        told.hours.map((one) => [moment(one.from), String(one.allow), String(one.ask), String(one.deny)])))),
    told.projects.length && !project ? el("section", { "aria-labelledby": "projects" }, el("h2", { id: "projects" }, "Projects"),
      table("Those that ask most in front", ["Project", "Calls", "Asks per 100", "Asked", "Approved", "Denied", "Half answered within", "9 of 10 within"],
        told.projects.map((one) => {
          const calls = one.allow + one.ask + one.deny;
          return [el("a", { href: query("#/dashboard", { hours, project: one.project }) }, one.project), calls.toLocaleString("en-GB"), rate(one.ask, calls),
            String(one.asked), String(one.approved), String(one.denied), time(one.answered_after_ms.p50), time(one.answered_after_ms.p90)];
        }))) : null,
    el("div", { class: "columns" },
      el("section", { "aria-labelledby": "top-rules" }, el("h2", { id: "top-rules" }, "Rules that cost most"),
        told.rules.length ? bars(told.rules) : el("p", { class: "nothing" }, "None did.")),
      el("section", { "aria-labelledby": "waits" }, el("h2", { id: "waits" }, "How long answers took"),
        table(`${count} ${count === 1 ? "answer" : "answers"} of people, ${time(sum)} in all`, ["Share", "Within"],
          [["half", time(p50)], ["9 of 10", time(p90)], ["99 of 100", time(p99)]]))));
}

// What rules would have saved: the latest decisions are judged again, and nothing is changed.
function saved() {
  const rules = el("textarea", { rows: "2", spellcheck: "false", placeholder: "Bash(cargo test:*)" });
  const told = el("div", { role: "status" });
  const attempt = async (event) => {
    event.preventDefault();
    replace(told, el("p", { class: "note" }, "Judged again …"));
    try {
      const allow = rules.value.split("\n").map((one) => one.trim()).filter(Boolean);
      replace(told, outcome(await post(TRY, { allow }), allow));
    } catch (problem) {
      replace(told, el("p", { class: "warning", role: "alert" }, `Not tried: ${problem.message}.`));
    }
  };
  const outcome = (shape, allow) => {
    if (shape.mistake) return el("p", { class: "warning", role: "alert" }, `${shape.mistake}.`);
    const { now, then, calls, spared, left_out: out, proposed } = shape;
    const percent = (asked) => rate(asked, calls);
    return [
      allow.length ? el("p", {}, `Of the latest ${calls} calls ${now.ask} were asked about; ${spared} of them would have gone on by themselves: ${percent(now.ask)} asks per 100 calls would be ${percent(then.ask)}.`)
        : el("p", {}, `Of the latest ${calls} calls ${now.ask} would be asked about now.`),
      out ? el("p", { class: "note" }, `${out} calls could not be judged again.`) : null,
      proposed.length ? table("Rules that would each spare more questions", ["Rule", "Spares", "Try it"], proposed.map((one) => [
        el("code", {}, one.allow), String(one.spares),
        el("button", { type: "button", class: "quiet", "aria-label": `Try it too: ${one.allow}`, onclick: (event) => { rules.value = [...allow, one.allow].join("\n"); attempt(event); } }, "Try it too")]))
        : el("p", { class: "note" }, "No single rule would spare another of them."),
      el("p", { class: "note" }, "Nothing is changed by this. A rule holds once it stands in the configuration."),
    ];
  };
  return el("section", { "aria-labelledby": "saved" }, el("h2", { id: "saved" }, "What a rule would have saved"),
    el("form", { onsubmit: attempt }, field("Rules that allow, one a line; with none, it is told which would save most", rules),
      el("div", { class: "buttons" }, el("button", { type: "submit", class: "approve" }, "Judge the latest calls again"))), told);
}

function figure(term, value) {
  return el("div", {}, el("dt", {}, term), el("dd", {}, value));
}

// A round number that is no less.
function ceiling(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return [1, 2, 4, 5, 10].map((factor) => factor * power).find((one) => one >= most) ?? most;
}

function stacked(hours, words, format) {
  const most = ceiling(Math.max(4, ...hours.map((one) => one.allow + one.ask + one.deny)));
  const height = HEIGHT - BOTTOM - 10;
  const at = (count) => 10 + height - height * count / most;
  const wide = (WIDTH - LEFT) / hours.length;
  const lines = [0, 0.5, 1].map((part) => [
    svg("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: at(part * most), y2: at(part * most) }),
    svg("text", { class: "axis", x: LEFT - 6, y: at(part * most) + 4, "text-anchor": "end" }, String(part * most)),
  ]);
  const columns = hours.map((one, number) => {
    let sum = 0;
    const x = LEFT + number * wide + 2;
    const parts = KINDS.map((kind) => {
      const count = one[kind];
      sum += count;
      return count ? svg("rect", { class: `bar-${kind}`, x, width: Math.max(wide - 4, 1), y: at(sum), height: Math.max(height * count / most, 1) }) : null;
    });
    // The last one ends with the drawing, and is not cut off by it.
    const [where, anchor] = number === hours.length - 1 ? [WIDTH, "end"] : [x + wide / 2, "middle"];
    const label = number % 4 === 1 ? svg("text", { class: "axis", x: where, y: HEIGHT - 6, "text-anchor": anchor }, format.format(new Date(one.from))) : null;
    return [parts, label];
  });
  const total = hours.reduce((sum, one) => sum + one.allow + one.ask + one.deny, 0);
  return svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${total} decisions in ${words}; the table below has each stretch` }, lines, columns);
}

function bars(rules) {
  const most = Math.max(...rules.map((one) => one.count));
  return el("table", { class: "bars" }, el("caption", {}, "How often each asked or refused, what people said, and their time"),
    el("thead", {}, el("tr", {}, ["Rule", "Share", "Count", "Approved", "Time"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, rules.map((one) => el("tr", {},
      el("td", {}, el("a", { href: `#/rules?text=${encodeURIComponent(one.rule)}` }, el("code", {}, one.rule))),
      el("td", {}, svg("svg", { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { class: "bar-ask", width: 100 * one.count / most, height: 8 }))),
      el("td", { class: "number" }, String(one.count)),
      el("td", { class: "number" }, one.asked ? `${one.approved} of ${one.asked}` : "–"),
      el("td", { class: "number" }, one.waited_ms ? span(one.waited_ms) : "–")))));
}
