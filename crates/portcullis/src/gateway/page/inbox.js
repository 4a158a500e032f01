// Owns the inbox: what waits, which of it is selected, and the way of a person's word to the gateway: by button, by key, edited, and never
// by accident. What a request looks like is `ask.js`'s.

import { get, post, query } from "./api.js";
import { countdown, editable, fate, findings, gist, head, isCut, isGrave, isOver, left, loosens, texts, whole } from "./ask.js";
import { dialog, el, field, isTyping, moment, prose, replace, riskWord, say, shell, visibleJson } from "./view.js";

// So long something must have been seen before it can be approved.
const SEEN = 1000;
const SHOWN = 100;
const LONGEST_REASON = 1000;
// The worst first; what is not known may be critical.
const RISKS = ["critical", "unknown", "high", "medium", "low", "safe"];

// What somebody began to say, kept until it was said: the gateway may be away just then.
const drafts = new Map();

const KEYS = [
  ["j or ↓", "next request"], ["k or ↑", "request before"], ["Space", "read on"], ["a", "approve; then y where the risk is high, critical or unknown"],
  ["d", "deny, with a reason"], ["e", "edit, then approve what you wrote"], ["?", "this list"],
];

export function inbox(place, me) {
  const mayDecide = me.scopes.includes("approve");
  const details = new Map();
  const busy = new Set();
  let asks = [];
  let pending = 0;
  let known = null;
  let selected = null;
  let since = Infinity;
  let room = SHOWN;
  let read = { id: null };
  let running = false;
  let again = false;
  let ended = false;

  const count = el("p", { class: "count" }, "Looking …");
  const queue = el("ol", { class: "queue", "aria-label": "Requests that wait" });
  const others = el("div", { class: "others" });
  const before = el("section", { class: "decided", "aria-labelledby": "decided" });
  replace(place, ...shell("Inbox", el("div", { class: "bar" }, count,
    el("button", { type: "button", class: "quiet", onclick: help }, "Keys ", el("kbd", {}, "?"))), queue, others, before));

  const ask = (id) => asks.find((one) => one.id === id);
  const card = (id) => queue.querySelector(`[data-id="${CSS.escape(id)}"]`);

  async function refresh() {
    if (running) { again = true; return; }
    running = true;
    try {
      do {
        again = false;
        const [waiting, all] = await Promise.all([
          get(query("/v1/approvals", { status: "pending", order: "worst", limit: room })), get("/v1/approvals?limit=30"),
        ]);
        if (ended) return;
        // The worst first, and of one risk the oldest: what nobody may overlook stands on top, and what is not shown is never worse.
        const shown = waiting.approvals;
        await Promise.all(shown.map(async ({ id }) => {
          if (!details.has(id)) details.set(id, (await get(`/v1/approvals/${id}`)).details);
        }));
        if (ended) return;
        take(shown.map((one) => ({ ...one, details: details.get(one.id) })), waiting.pending, waiting.pending_by_risk);
        recent(all.approvals.filter((one) => one.status !== "pending").slice(0, 6));
      } while (again);
    } catch (problem) {
      if (!ended && problem.status !== 401) replace(count, `The inbox cannot be read: ${problem.message}.`);
    } finally {
      running = false;
    }
  }

  function take(shown, waiting, byRisk) {
    const ids = new Set(shown.map((one) => one.id));
    for (const id of details.keys()) if (!ids.has(id)) details.delete(id);
    const fresh = known === null ? [] : shown.filter((one) => !known.has(one.id));
    for (const one of asks) {
      if (!ids.has(one.id) && !busy.has(one.id)) gone(one.id);
    }
    known = ids;
    const place = asks.findIndex((one) => one.id === selected);
    const old = new Map(asks.map((one) => [one.id, one]));
    asks = shown;
    pending = waiting;
    const hadFocus = queue.contains(document.activeElement);
    for (const child of [...queue.children]) if (!ids.has(child.dataset.id)) child.remove();
    const top = card(selected)?.getBoundingClientRect().top;
    asks.forEach((one, at) => {
      const isSame = JSON.stringify(old.get(one.id)?.agreed) === JSON.stringify(one.agreed);
      const there = card(one.id);
      if (!there) queue.insertBefore(drawn(one), queue.children[at] ?? null);
      else if (!isSame) there.replaceWith(drawn(one));
    });
    // What comes above must not move what is being read under the finger.
    const now = card(selected)?.getBoundingClientRect().top;
    if (top !== undefined && now !== undefined && Math.abs(now - top) > 1) {
      scrollBy(0, now - top);
      since = performance.now();
    }
    if (!ask(selected)) select((asks[Math.min(Math.max(place, 0), asks.length - 1)])?.id ?? null, hadFocus);
    const words = pending === 0 ? "Nothing waits." : `${pending} ${pending === 1 ? "waits" : "wait"}`;
    replace(count, words);
    rest(byRisk);
    document.title = pending ? `(${pending}) Portcullis` : "Portcullis";
    queue.classList.toggle("empty", asks.length === 0);
    if (fresh.length === 1) say(`New: ${fresh[0].agent ?? "an agent"} asks about ${fresh[0].tool}, risk ${fresh[0].risk}.`);
    else if (fresh.length > 1) {
      const worst = RISKS.find((risk) => fresh.some((one) => one.risk === risk)) ?? "unknown";
      say(`${fresh.length} new requests, the worst of them ${worst}.`);
    }
  }

  // What is not shown, counted by risk: nothing is cut off without a word.
  function rest(byRisk) {
    const left = { ...byRisk };
    for (const one of asks) left[one.risk] -= 1;
    const parts = RISKS.filter((risk) => left[risk] > 0).map((risk) => [riskWord(risk), ` ${left[risk]} `]);
    if (parts.length === 0) return replace(others);
    replace(others, el("p", {}, "Not shown: ", parts),
      el("button", { type: "button", onclick: () => { room = Math.min(room + SHOWN, 500); refresh(); } }, "Show more"));
  }

  // Somebody else was first, or time ran out.
  async function gone(id) {
    try {
      const one = await get(`/v1/approvals/${id}`);
      if (one.status !== "pending" && one.approver !== me.name) say(`${one.tool}: ${fate(one)}.`);
    } catch { /* It is not there any more, and the queue says so. */ }
  }

  function drawn(one) {
    const isOpen = one.id === selected;
    const name = `${one.risk} risk, ${one.agent ?? "an agent"}, ${one.tool}`;
    const item = el("li", { "data-id": one.id, class: `card edge-${one.risk}${isOpen ? " open" : ""}` });
    if (!isOpen) {
      return fillIn(item, el("button", { type: "button", class: "summary", "aria-expanded": "false", onclick: () => select(one.id, true) },
        el("span", { class: "head" }, head(one)), el("code", { class: "gist" }, gist(one))));
    }
    return fillIn(item, el("article", { tabindex: "-1", "aria-label": name },
      el("h2", { class: "head" }, head(one)), whole(one), buttons(one)));
  }

  const fillIn = (item, content) => { item.append(content); return item; };

  function buttons(one) {
    if (!mayDecide) return el("p", { class: "note" }, "Your token may look, and not decide.");
    const hasAgreed = (one.agreed ?? []).some((vote) => vote.approver === me.name);
    return el("div", { class: "buttons" },
      el("p", { class: "unread note", role: "status" }),
      el("button", { type: "button", class: "approve", disabled: hasAgreed || isCut(one.details), onclick: () => approve(one.id) },
        hasAgreed ? "You agreed" : "Approve ", hasAgreed ? "" : el("kbd", {}, "a")),
      el("button", { type: "button", class: "deny", onclick: () => deny(one.id) }, "Deny ", el("kbd", {}, "d")),
      el("button", { type: "button", class: "quiet", onclick: () => edit(one.id) }, "Edit ", el("kbd", {}, "e")));
  }

  function select(id, focus) {
    const was = selected;
    selected = id;
    since = performance.now();
    for (const one of [was, id]) if (one && ask(one)) card(one)?.replaceWith(drawn(ask(one)));
    if (id && focus) {
      const article = card(id)?.querySelector("article");
      article?.focus({ preventScroll: true });
      article?.scrollIntoView({ block: "nearest" });
    }
    look();
  }

  // Notes how much of what would run was on the screen, from its beginning on and without a gap: what is scrolled to without what stands before
  // it was not read. In another width it stands elsewhere, and is read anew unless all of it was.
  function look() {
    const article = card(selected)?.querySelector("article");
    const box = article?.querySelector(".texts")?.getBoundingClientRect();
    if (!box) return;
    const is = read.id === selected && (read.isWhole || Math.abs(read.width - box.width) < 1);
    if (!is) read = { id: selected, to: 0, width: box.width, isWhole: false };
    if (!read.isWhole && document.visibilityState === "visible" && !document.querySelector("dialog[open]")) {
      const [above, below] = clear(article);
      const from = Math.max(0, above - box.top);
      const to = Math.min(box.height, below - box.top);
      // Nothing can be read in less than a line.
      if (to - from >= Math.min(14, box.height) && from <= read.to + 1) read.to = Math.max(read.to, to);
      read.isWhole = read.to >= box.height - 1;
    }
    const percent = Math.min(99, Math.floor(100 * read.to / Math.max(1, box.height)));
    const words = read.isWhole ? "" : `${percent} % of it was on the screen`;
    const place = article.querySelector(".unread");
    if (place && place.textContent !== words) replace(place, words);
  }

  // What of the window nothing else lies over.
  function clear(article) {
    const head = document.getElementById("top").getBoundingClientRect();
    const foot = article.querySelector(":scope > .buttons")?.getBoundingClientRect();
    const notes = document.getElementById("told");
    const note = notes.childElementCount ? notes.getBoundingClientRect().top : innerHeight;
    const banner = document.getElementById("loosened")?.getBoundingClientRect();
    const stuck = (one) => one && one.top <= 1 + head.height ? one.bottom : 0;
    return [Math.max(0, stuck(head), stuck(banner)), Math.min(innerHeight, foot?.top ?? innerHeight, note)];
  }

  // Goes on to what was not on the screen yet.
  function readOn(article) {
    const box = article.querySelector(".texts").getBoundingClientRect();
    scrollBy(0, box.top + read.to - clear(article)[0] - 24);
    look();
    since = performance.now();
  }

  function move(by) {
    const at = asks.findIndex((one) => one.id === selected);
    const next = asks[Math.min(Math.max(at + by, 0), asks.length - 1)];
    if (next) select(next.id, true);
  }

  async function decide(one, body) {
    if (busy.has(one.id)) return;
    busy.add(one.id);
    try {
      const after = await post(`/v1/approvals/${one.id}/decision`, { ...body, action: one.action });
      say(after.status === "pending"
        ? `You agreed to ${one.tool}. Another person must agree too.` : `${one.tool}: ${fate(after)}.`, "good");
    } catch (problem) {
      const then = problem.shape?.approval;
      if (problem.code === "decided" && then) say(`Too late: ${one.tool} was decided before. ${fate(then)}.`, "bad");
      else if (problem.code === "own-request") say("You asked for this yourself: somebody else must decide.", "bad");
      else say(`Not done: ${problem.message}.`, "bad");
      return problem;
    } finally {
      await refresh();
      busy.delete(one.id);
    }
  }

  function approve(id) {
    const one = ask(id);
    if (!one || !mayDecide || (one.agreed ?? []).some((vote) => vote.approver === me.name)) return;
    if (isOver(one)) return say("It has expired.", "bad");
    const article = card(id)?.querySelector("article");
    if (isCut(one.details)) return say("It is too long to be shown whole, so that nobody can approve it.", "bad");
    if (id !== selected || !article) return;
    if (performance.now() - since < SEEN || document.visibilityState !== "visible") {
      return say("It has only just come into view: read it, then approve.", "bad");
    }
    if (!hasRead(article)) return;
    if (!isGrave(one)) return decide(one, { decision: "approve" });
    const yes = () => { shown.close(); decide(one, { decision: "approve" }); };
    const shown = dialog("Approve this?", el("div", {},
      el("p", {}, riskWord(one.risk), one.details.request?.action?.reversible ? "" : " It cannot be undone."),
      texts(one.details), loosens(one.details), findings(one.details) ?? el("p", {}, prose(one.details.reasons?.[1] ?? one.details.reasons?.[0] ?? ""))), [
      el("button", { type: "button", class: "approve", onclick: yes }, "Approve ", el("kbd", {}, "y")),
      el("button", { type: "button", class: "quiet", onclick: () => shown.close() }, "Go back ", el("kbd", {}, "Esc")),
    ], { y: yes, n: () => shown.close() });
  }

  // Whether all of what would run was on the screen; goes on to what was not, and says so.
  function hasRead(article) {
    look();
    if (read.id === selected && read.isWhole) return true;
    readOn(article);
    say("Read it first: not all of it was on the screen yet.", "bad");
    return false;
  }

  function deny(id) {
    const one = ask(id);
    if (!one || !mayDecide) return;
    const reason = el("input", {
      type: "text", maxlength: String(LONGEST_REASON), autocomplete: "off", value: drafts.get(id) ?? "",
      oninput: () => drafts.set(id, reason.value),
    });
    const wrong = el("p", { class: "warning", role: "alert" });
    const no = async () => {
      const problem = await decide(one, { decision: "deny", reason: reason.value.trim() || undefined });
      // What was typed stays until it was said, or says nothing any more.
      if (problem && ![403, 404, 409].includes(problem.status)) return replace(wrong, `Not done: ${problem.message}. It can be tried again.`);
      drafts.delete(id);
      shown.close();
    };
    const shown = dialog("Deny this?", el("form", { onsubmit: (event) => { event.preventDefault(); no(); } },
      field("Reason, if you like", reason, "The agent is told, so that it can do something else."), wrong), [
      el("button", { type: "button", class: "deny", onclick: no }, "Deny"),
      el("button", { type: "button", class: "quiet", onclick: () => shown.close() }, "Go back"),
    ]);
    reason.focus();
  }

  function edit(id) {
    const one = ask(id);
    if (!one || !mayDecide) return;
    const article = card(id)?.querySelector("article");
    // What is kept of it is agreed to as well.
    if (!isCut(one.details) && (id !== selected || !article || !hasRead(article))) return;
    const { parameters, cuts } = editable(one);
    const text = el("textarea", { rows: "10", spellcheck: "false", value: visibleJson(parameters) });
    const wrong = el("p", { class: "warning", role: "alert" });
    const send = async () => {
      const told = unfit(text.value, cuts);
      replace(wrong, told ?? "");
      if (told) return text.focus();
      const body = { decision: "approve", modified: { arguments: JSON.parse(text.value) }, reason: "edited" };
      const problem = await decide(one, body);
      if (problem && problem.status !== 409) replace(wrong, `Not done: ${problem.message}.`);
      else shown.close();
    };
    const shown = dialog("Approve something else in its place", el("div", {},
      el("p", {}, "What you write is judged as every call is, and only it may run then."),
      field(`Arguments of ${one.tool}, as JSON`, text), wrong), [
      el("button", { type: "button", class: "approve", onclick: send }, "Approve what I wrote"),
      el("button", { type: "button", class: "quiet", onclick: () => shown.close() }, "Go back"),
    ]);
    text.focus();
  }

  function help() {
    const shown = dialog("Keys", el("dl", { class: "keys" }, KEYS.map(([key, words]) =>
      el("div", {}, el("dt", {}, key.split(" or ").map((one, at) => [at ? " or " : "", el("kbd", {}, one)])), el("dd", {}, words)))), [
      el("button", { type: "button", class: "quiet", onclick: () => shown.close() }, "Close"),
    ]);
  }

  function recent(decided) {
    if (decided.length === 0) return replace(before);
    replace(before, el("h2", { id: "decided" }, "Decided lately"), el("ul", {}, decided.map((one) => el("li", {},
      moment(one.decided ?? one.asked), " ", riskWord(one.risk), " ",
      el("a", { href: `#/record/${one.record}` }, `${one.agent ?? "an agent"}, ${one.tool}`), " ", el("span", {}, fate(one))))));
  }

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const acts = {
      j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
      a: () => approve(selected), d: () => deny(selected), e: () => edit(selected), "?": help,
    };
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : null;
    if (!act) return;
    event.preventDefault();
    act();
  }

  function tick() {
    for (const place of queue.querySelectorAll("[data-expires]")) {
      const one = { expires: place.dataset.expires };
      replace(place.querySelector(".much"), left(one));
      place.classList.toggle("close", countdown(one).classList.contains("close"));
    }
    look();
    if (asks.some(isOver)) refresh();
  }

  const came = () => { since = performance.now(); };
  const ticking = setInterval(tick, 1000);
  document.addEventListener("keydown", key);
  document.addEventListener("visibilitychange", came);
  addEventListener("scroll", look, { passive: true });
  addEventListener("resize", look);
  refresh();
  return {
    changed: refresh,
    end: () => {
      ended = true;
      clearInterval(ticking);
      document.removeEventListener("keydown", key);
      document.removeEventListener("visibilitychange", came);
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    },
  };
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
