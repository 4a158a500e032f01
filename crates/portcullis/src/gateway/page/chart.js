// Owns the dashboard: the last day in numbers, each drawing beside the table that says the same.

import { get } from "./api.js";
import { el, replace, shell, span, svg, table } from "./view.js";

const WIDTH = 720;
const HEIGHT = 220;
const BOTTOM = 24;
const LEFT = 40;
const KINDS = ["deny", "ask", "allow"];

const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

export function dashboard(place) {
  const found = el("div", {}, "Looking …");
  replace(place, ...shell("Dashboard", found));
  let due = null;
  async function read() {
    due = null;
    try {
      draw(found, await get("/v1/summary"));
    } catch (problem) {
      if (problem.status !== 401) replace(found, el("p", { class: "warning" }, `Not read: ${problem.message}.`));
    }
  }
  read();
  return { changed: () => { due ??= setTimeout(read, 3000); }, end: () => clearTimeout(due) };
}

function draw(place, day) {
  const actions = day.allow + day.ask + day.deny;
  const asks = actions ? (100 * day.ask / actions).toFixed(1) : "–";
  const { count, p50, p90, p99 } = day.answered_after_ms;
  const time = (milliseconds) => milliseconds === null || milliseconds === undefined ? "–" : span(milliseconds);
  replace(place,
    el("dl", { class: "figures" },
      figure("asks per 100 actions", asks), figure("actions in 24 hours", actions.toLocaleString("en-GB")),
      figure("refused", day.deny.toLocaleString("en-GB")), figure("wait now", String(day.pending)),
      figure("median time to an answer", time(p50))),
    day.cut && el("p", { class: "warning" }, "More was recorded than is summed up here: these are the latest records only."),
    el("section", { "aria-labelledby": "over-time" }, el("h2", { id: "over-time" }, "Decisions, hour by hour"),
      el("p", { class: "legend", "aria-hidden": "true" }, ["allow", "ask", "deny"].map((kind) => el("span", { class: `key-${kind}` }, kind))),
      stacked(day.hours),
      el("details", {}, el("summary", {}, "The same as a table"), table("Decisions of each hour", ["From", "Allow", "Ask", "Deny"],
        day.hours.map((one) => [hour.format(new Date(one.from)), String(one.allow), String(one.ask), String(one.deny)])))),
    el("div", { class: "columns" },
      el("section", { "aria-labelledby": "top-rules" }, el("h2", { id: "top-rules" }, "Rules that asked or refused most"),
        day.rules.length ? bars(day.rules) : el("p", { class: "nothing" }, "None did.")),
      el("section", { "aria-labelledby": "waits" }, el("h2", { id: "waits" }, "How long answers took"),
        table(`${count} ${count === 1 ? "answer" : "answers"} of people`, ["Share", "Within"],
          [["half", time(p50)], ["9 of 10", time(p90)], ["99 of 100", time(p99)]]))));
}

function figure(term, value) {
  return el("div", {}, el("dt", {}, term), el("dd", {}, value));
}

// A round number that is no less.
function ceiling(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return [1, 2, 4, 5, 10].map((factor) => factor * power).find((one) => one >= most) ?? most;
}

function stacked(hours) {
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
    const label = number % 4 === 1 ? svg("text", { class: "axis", x: x + wide / 2, y: HEIGHT - 6, "text-anchor": "middle" }, hour.format(new Date(one.from))) : null;
    return [parts, label];
  });
  const total = hours.reduce((sum, one) => sum + one.allow + one.ask + one.deny, 0);
  return svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${total} decisions in 24 hours; the table below has each hour` }, lines, columns);
}

function bars(rules) {
  const most = Math.max(...rules.map((one) => one.count));
  return el("table", { class: "bars" }, el("caption", { class: "unseen" }, "Rules and how often they asked or refused"),
    el("thead", { class: "unseen" }, el("tr", {}, el("th", { scope: "col" }, "Rule"), el("th", { scope: "col" }, "Share"), el("th", { scope: "col" }, "Count"))),
    el("tbody", {}, rules.map((one) => el("tr", {},
      el("td", {}, el("a", { href: `#/rules?text=${encodeURIComponent(one.rule)}` }, el("code", {}, one.rule))),
      el("td", {}, svg("svg", { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { class: "bar-ask", width: 100 * one.count / most, height: 8 }))),
      el("td", { class: "number" }, String(one.count))))));
}
