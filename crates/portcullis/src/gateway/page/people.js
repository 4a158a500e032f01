// Owns who is known here as themselves, and who decides in whose place: giving one's place to somebody for a time, and ending that. What is decided so, the
// gateway says.

import { call, get, now, post } from "./api.js";
import { choice, el, field, moment, replace, say, shell, table } from "./view.js";

const HOURS = [["4", "4 hours"], ["8", "8 hours"], ["24", "a day"], ["72", "3 days"], ["168", "a week"], ["336", "two weeks"]];

export function people(place, me) {
  const given = el("div", {}, "Looking …");
  const form = el("div", {});
  const wrong = el("p", { class: "warning", role: "alert" });
  const known = el("div", {});
  replace(place, ...shell("People",
    el("section", { "aria-labelledby": "places" }, el("h2", { id: "places" }, "In somebody’s place"), given, form, wrong),
    el("section", { "aria-labelledby": "known" }, el("h2", { id: "known" }, "Who logged in here"), known)));

  async function read() {
    try {
      const [{ people: all }, { delegations }] = await Promise.all([get("/v1/people"), get("/v1/delegations")]);
      const name = (of) => of === me.name ? "You" : all.find((person) => person.name === of)?.shown ?? of;
      const mayEnd = (one) => one.giver === me.name || one.taker === me.name || me.scopes.includes("admin");
      const open = delegations.filter((one) => Date.parse(one.expires) > now());
      replace(given, open.length ? table("Who decides in whose place", ["Who", "In the place of", "As", "Until", "End it"], open.map((one) => [
        name(one.taker), name(one.giver), one.groups.join(", "), moment(one.expires),
        mayEnd(one) ? el("button", { type: "button", class: "quiet", "aria-label": `End that ${name(one.taker)} decides in the place of ${name(one.giver)}`, onclick: () => end(one) }, "End it") : "",
      ])) : el("p", {}, "Nobody decides in somebody’s place now."));
      replace(known, all.length ? table("The latest first", ["Name", "Known as", "Seen"], all.map((one) => [name(one.name), el("code", {}, one.name), moment(one.seen)]))
        : el("p", {}, "Nobody: people come with tokens here. ", el("code", {}, "[team.login]"), " in the configuration has them log in as themselves."));
      // What somebody is choosing is not taken from under them.
      if (!form.contains(document.activeElement)) replace(form, giving(all));
    } catch (problem) {
      if (problem.status !== 401) replace(given, el("p", { class: "warning", role: "alert" }, `Not read: ${problem.message}.`));
    }
  }

  function giving(all) {
    const others = all.filter((one) => one.name !== me.name);
    const isKnown = all.some((one) => one.name === me.name);
    if (!isKnown || !me.scopes.includes("approve") || others.length === 0) return null;
    const to = choice("to", others.map((one) => [one.name, one.shown]), others[0].name);
    const hours = choice("hours", HOURS, "8");
    return el("form", { onsubmit: (event) => { event.preventDefault(); give(to.value, Number(hours.value)); } },
      field("Who decides in your place", to, "They decide as your groups may: neither on what you asked for yourself, nor as one of two."),
      field("For how long", hours),
      el("div", { class: "buttons" }, el("button", { type: "submit", class: "approve" }, "Give my place")));
  }

  async function give(to, hours) {
    try {
      await post("/v1/delegations", { to, hours });
      replace(wrong);
      say("Given, and recorded.", "good");
    } catch (problem) {
      replace(wrong, `Not given: ${problem.message}.`);
    }
    read();
  }

  async function end(one) {
    try {
      await call("DELETE", `/v1/delegations/${one.id}`);
      say("It is ended.", "good");
    } catch (problem) {
      say(`Not done: ${problem.message}.`, "bad");
    }
    read();
  }

  read();
  return { changed: read };
}
