// Owns the record as it is read: searched, one entry with its proof and what belongs to it, sessions, and one session in its order.

import { get, query, save } from "./api.js";
import { choice, el, field, line, moment, prose, replace, riskWord, say, shell, span, table, terms, verdictWord } from "./view.js";

const FILTERS = ["text", "kind", "decision", "risk", "agent", "session", "since", "until"];
const PAGE = 50;

const options = (words) => [["", "any"], ...words.map((word) => [word, word])];

function what(record) {
  const words = record.preview ?? [record.outcome, record.reason].filter(Boolean).join(": ");
  return el("a", { class: "preview", href: `#/record/${record.sequence}` }, el("code", {}, line(words).slice(0, 240) || `№ ${record.sequence}`));
}

function came(record) {
  if (record.unreadable) return el("span", { class: "warning" }, record.unreadable);
  if (record.kind === "decision") return verdictWord(record.decision);
  if (record.kind === "answer") return el("span", {}, "answer ", verdictWord(record.decision));
  return record.kind;
}

function wrong(place, problem) {
  if (problem.status !== 401) replace(place, el("p", { class: "warning" }, `Not read: ${problem.message}.`));
}

const local = (text) => {
  const time = new Date(text);
  if (!text || Number.isNaN(time.getTime())) return "";
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

export function history(place, me, argument, parameters) {
  const wanted = Object.fromEntries(FILTERS.map((name) => [name, parameters.get(name) ?? ""]));
  const before = parameters.get("before");
  const control = {
    text: el("input", { type: "search", name: "text", value: wanted.text }),
    kind: choice("kind", options(["decision", "answer", "outcome", "change"]), wanted.kind),
    decision: choice("decision", options(["allow", "ask", "deny"]), wanted.decision),
    risk: choice("risk", options(["safe", "low", "medium", "high", "critical", "unknown"]), wanted.risk),
    agent: el("input", { type: "text", name: "agent", value: wanted.agent, autocomplete: "off" }),
    session: el("input", { type: "text", name: "session", value: wanted.session, autocomplete: "off" }),
    since: el("input", { type: "datetime-local", name: "since", value: local(wanted.since) }),
    until: el("input", { type: "datetime-local", name: "until", value: local(wanted.until) }),
  };
  const value = (name) => {
    const text = control[name].value.trim();
    if (name !== "since" && name !== "until") return text;
    return text && new Date(text).toISOString();
  };
  const search = (event) => {
    event.preventDefault();
    const next = query("#/history", Object.fromEntries(FILTERS.map((name) => [name, value(name)])));
    if (next === location.hash) read();
    else location.hash = next;
  };
  const fresh = el("p", { class: "note" });
  const looking = el("p", { class: "note" });
  const far = el("span", { role: "status" });
  const found = el("div", { class: "found" });
  const chain = el("div", { role: "status" });
  replace(place, ...shell("History",
    el("form", { class: "filters", role: "search", onsubmit: search },
      field("Holds", control.text), field("Kind", control.kind), field("Decision", control.decision), field("Risk", control.risk),
      el("details", { open: ["agent", "session", "since", "until"].some((name) => wanted[name]) }, el("summary", {}, "Agent, session and time"),
        el("div", { class: "filters" }, field("Agent", control.agent), field("Session", control.session), field("Since", control.since), field("Until", control.until))),
      el("div", { class: "buttons" }, el("button", { type: "submit", class: "approve" }, "Search"),
        el("a", { class: "button quiet", href: "#/history" }, "Clear"),
        el("button", { type: "button", class: "quiet", onclick: () => verify(chain) }, "Check the chain"),
        ["jsonl", "csv"].map((format) => el("button", {
          type: "button", class: "quiet",
          onclick: () => save(query("/v1/records/export", { ...wanted, format }), `portcullis.${format}`).catch((problem) => wrong(chain, problem)),
        }, `Export ${format === "csv" ? "CSV" : "JSON lines"}`)))),
    chain, fresh, looking, found));
  const stop = el("button", { type: "button", class: "quiet" }, "Stop here");
  let head = null;
  // Which search is the one that counts: one that was stopped, or that another came after, shows nothing more.
  let turn = 0;

  // One request looks for a while and says where to go on, so that a search for what is rare shows how far it came.
  async function read() {
    turn += 1;
    const mine = turn;
    const records = [];
    let at = before;
    replace(looking);
    try {
      for (;;) {
        const page = await get(query("/v1/records", { ...wanted, before: at, limit: PAGE - records.length }));
        if (mine !== turn) return;
        head = page.head;
        replace(fresh);
        const isNew = page.records.length > 0 || records.length === 0;
        records.push(...page.records);
        at = page.before ? String(page.before) : null;
        const goesOn = records.length < PAGE && at !== null;
        if (isNew || !goesOn) draw({ records, head, before: at }, goesOn);
        if (!goesOn) return replace(looking);
        progress({ records, head, before: at });
      }
    } catch (problem) {
      if (mine === turn) wrong(found, problem);
    }
  }

  // How far it came, and a way to have it stop there, which stays where it is meanwhile.
  function progress(page) {
    far.textContent = `Looked through as far as № ${page.before} of ${page.head} … `;
    stop.onclick = () => { turn += 1; replace(looking); draw(page, false); };
    if (!stop.isConnected) replace(looking, far, stop);
  }

  function draw(page, goesOn) {
    const rows = page.records.map((record) => [
      record.time ? moment(record.time) : "", record.agent ?? record.approver ?? "", record.tool ?? "", what(record),
      record.risk ? riskWord(record.risk) : "", came(record), (record.rules ?? []).join(", "),
    ]);
    const older = page.before && query("#/history", { ...wanted, before: String(page.before) });
    replace(found,
      rows.length ? table(`${rows.length} of ${page.head} records, the newest first`,
        ["Time", "Agent", "Tool", "What", "Risk", "Decision", "Rules"], rows) : el("p", { class: "nothing" }, goesOn ? "None so far." : page.before ? "None so far: the rest was not looked through." : "No record is like that."),
      el("p", { class: "buttons" }, before && el("a", { class: "button quiet", href: query("#/history", wanted) }, "Newest"),
        older && !goesOn && el("a", { class: "button quiet", href: older }, "Older")));
  }

  read();
  return {
    changed: ({ head: now }) => {
      if (head === null || !(now > head)) return;
      const count = now - head;
      replace(fresh, `${count} new ${count === 1 ? "record" : "records"}. `, el("button", { type: "button", class: "quiet", onclick: read }, "Show"));
    },
    end: () => { turn += 1; },
  };
}

async function verify(place) {
  replace(place, el("p", { class: "note" }, "Every record is computed anew …"));
  try {
    const { intact, records, problems, head } = await get("/v1/records/verify");
    replace(place, el("p", { class: intact ? "good" : "warning" },
      intact ? `The chain of ${records} records is whole. Its head is ${head.hash}.` : `The chain is broken: ${problems.join("; ")}`));
  } catch (problem) {
    wrong(place, problem);
  }
}

export function record(place, me, argument) {
  const found = el("div", {}, "Looking …");
  replace(place, ...shell(`Record № ${argument}`, found));
  (async () => {
    try {
      const shape = await get(`/v1/records/${encodeURIComponent(argument)}`);
      replace(found, entry(shape.record), proof(shape.record, shape.proof), related(shape));
    } catch (problem) {
      wrong(found, problem);
    }
  })();
  return {};
}

function entry(one) {
  const link = (path, text) => text && el("a", { href: `#/${path}/${encodeURIComponent(text)}` }, text);
  return el("div", {},
    el("p", { class: "head" }, one.risk && riskWord(one.risk), came(one), el("span", { class: "who" }, one.agent ?? one.approver ?? ""),
      el("span", { class: "tool" }, one.tool ?? ""), moment(one.time)),
    one.preview && el("pre", { class: "command", tabindex: "0", role: "group", "aria-label": "What was asked" }, el("code", {}, one.preview)),
    terms([
      ["Why", one.reason && prose(one.reason)], ["Rules", (one.rules ?? []).join(", ")], ["Layer", one.layer], ["Class", one.class], ["Who", one.approver],
      ["Outcome", one.outcome], ["Session", link("session", one.session)], ["Ran in", one.cwd && el("code", {}, one.cwd)],
      ["Refers to", one.refers_to && link("record", String(one.refers_to))], ["Policy", one.policy],
      ["Action", one.action && el("code", { class: "hash" }, one.action)],
    ]));
}

function step(title, hash, words, state) {
  return el("li", { class: state }, el("h3", {}, title), hash && el("code", { class: "hash" }, hash), el("p", {}, words));
}

function proof(one, told) {
  const state = (is) => is === true ? "holds" : is === false ? "broken" : "open";
  return el("section", { class: "proof", "aria-labelledby": "proof" }, el("h2", { id: "proof" }, "Its place in the chain"),
    el("ol", {},
      step(`№ ${one.sequence - 1}`, one.previous, one.sequence > 1
        ? told.follows_the_one_before ? "Its hash is what this one begins with." : "This hash is not the one of the record before." : "The beginning of the chain.",
      state(told.follows_the_one_before)),
      step(`№ ${one.sequence}, this one`, told.computed, told.hash_is_of_these_fields
        ? "Its hash was computed anew of these fields, and is the one in the record." : `Its fields were changed: the record says ${told.hash}.`,
      state(told.hash_is_of_these_fields)),
      step(`№ ${one.sequence + 1}`, null, told.is_followed === null ? "Nothing was recorded after it yet."
        : told.is_followed ? "It begins with the hash of this one." : "It does not begin with the hash of this one.", state(told.is_followed))),
    el("p", { class: "buttons" },
      one.sequence > 1 && el("a", { class: "button quiet", href: `#/record/${one.sequence - 1}` }, "The one before"),
      told.is_followed !== null && el("a", { class: "button quiet", href: `#/record/${one.sequence + 1}` }, "The next one")));
}

function related({ related: others }) {
  if (!others?.length) return null;
  return el("section", { "aria-labelledby": "related" }, el("h2", { id: "related" }, "What refers to it"),
    el("ul", { class: "plain" }, others.map((one) => el("li", {}, moment(one.time), " ", came(one), " ",
      el("a", { href: `#/record/${one.sequence}` }, `№ ${one.sequence}`), ` ${one.approver ?? ""} ${one.reason ?? one.outcome ?? ""}`))));
}

export function sessions(place) {
  const found = el("div", {}, "Looking …");
  replace(place, ...shell("Sessions", found));
  (async () => {
    try {
      const { sessions: all } = await get("/v1/sessions");
      if (all.length === 0) return replace(found, el("p", { class: "nothing" }, "No agent has named a session yet."));
      replace(found, table("Sessions of the latest records, the latest first", ["Session", "Agent", "Began", "Last call", "Allow", "Ask", "Deny"],
        all.map((one) => [el("a", { href: `#/session/${encodeURIComponent(one.session)}` }, one.session), one.agent ?? "",
          moment(one.first), moment(one.last), String(one.allow), String(one.ask), String(one.deny)])));
    } catch (problem) {
      wrong(found, problem);
    }
  })();
  return {};
}

export function session(place, me, name, parameters) {
  const found = el("div", {}, "Looking …");
  replace(place, ...shell(`Session ${line(name)}`, found));
  const before = parameters.get("before");
  async function read() {
    try {
      const page = await get(query("/v1/records", { session: name, before, limit: 200 }));
      const older = page.before && query(`#/session/${encodeURIComponent(name)}`, { before: String(page.before) });
      const records = page.records.filter((one) => !one.unreadable).reverse();
      if (records.length < page.records.length) say("Some records cannot be read.", "bad");
      let last = null;
      const items = records.map((one) => {
        const time = Date.parse(one.time);
        const pause = last !== null && time - last > 60_000 ? el("li", { class: "pause" }, span(time - last), " later") : null;
        last = time;
        return [pause, el("li", { class: `at at-${one.kind === "decision" ? one.decision : one.kind}` },
          moment(one.time), el("div", {}, el("p", { class: "head" }, came(one), one.risk && one.risk !== "safe" ? riskWord(one.risk) : "",
            el("span", { class: "tool" }, one.tool ?? "")), what(one), one.decision !== "allow" && one.reason && el("p", { class: "note" }, one.reason)))];
      });
      replace(found, older && el("p", {}, el("a", { class: "button quiet", href: older }, "Earlier")),
        items.length ? el("ol", { class: "timeline" }, items) : el("p", { class: "nothing" }, "Nothing of it is in the record."));
    } catch (problem) {
      wrong(found, problem);
    }
  }
  read();
  return { changed: () => { if (!before) read(); } };
}
