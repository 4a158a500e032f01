// Owns the inbox: what waits on the left, the one that is open on the right, and which keys do what. What a request looks like is `ask.js`'s, what somebody
// says to it `word.js`'s, whether they have read it `reading.js`'s, and what is looked for `sought.js`'s.

import { get, post, query } from "./api.js";
import { countdown, fate, head, isCut, isGrave, isOver, left, whole } from "./ask.js";
import { SHOWN, answer } from "./early.js";
import { reading } from "./reading.js";
import { address, asked, form, isNarrow, sought } from "./sought.js";
import { talk } from "./talk.js";
import { dialog, el, isTyping, line, moment, replace, riskWord, say, shell } from "./view.js";
import { approve, approveMany, approveWithLike, deny, denyMany, edit, hasAgreed, isBusy } from "./word.js";

// As many as at first are shown at a time, and more when somebody wants more; beyond the most they come page by page.
const MOST = 500;
// How often it is said that one looks at a request.
const LOOKS = 8000;
// How far the gateway counts.
const COUNTED = 10_000;
// The worst first; what is not known may be critical.
const RISKS = ["critical", "unknown", "high", "medium", "low", "safe"];

const KEYS = [
  ["j or ↓", "next request"], ["k or ↑", "request before"], ["Space", "read on"], ["a", "approve; then y where the risk is high, critical or unknown, half a second after the dialog opened at the earliest"],
  ["l", "approve it and its like, after a look at what that is"], ["d", "deny, with a reason"], ["e", "edit, then approve what you wrote"], ["x", "choose it, to decide on several"], ["/", "search"], ["?", "this list"],
];

const many = (count, one, more) => `${count === COUNTED ? "10,000 or more" : count} ${count === 1 ? one : more}`;
const sum = (counts) => Object.values(counts ?? {}).reduce((all, one) => all + one, 0);

export function inbox(place, me, argument, parameters) {
  const mayDecide = me.scopes.includes("approve");
  const details = new Map();
  const chosen = new Set();
  let wanted = sought(parameters);
  // The one that somebody came for by its own link: it stays, whatever becomes of it.
  let linked = /^[0-9a-f]{32}$/.test(argument) ? argument : null;
  let rows = [];
  let known = null;
  let selected = linked;
  let room = SHOWN;
  let pages = [null];
  let running = false;
  let again = false;
  let ended = false;
  // How far the record had come when what is shown was read, and what the stream began with meanwhile.
  let shownAt = null;
  let begins = null;
  // What people say about the one that is open.
  let spoken = null;

  const count = el("p", { class: "count", role: "status" }, "Looking …");
  const queue = el("ol", { class: "queue", "aria-label": "Requests that wait" });
  const several = el("div", { class: "several" });
  const others = el("div", { class: "others" });
  const before = el("section", { class: "decided", "aria-labelledby": "decided" });
  const detail = el("section", { class: "detail", "aria-label": "The request that is open" });
  const filters = el("div", {});
  const desk = el("div", { class: linked ? "desk chosen" : "desk" },
    el("div", { class: "list" }, filters, several, queue, others), detail);
  const unknown = argument && !linked ? el("p", { class: "warning", role: "alert" }, `There is no such request as “${argument}”.`) : null;
  replace(place, ...shell("Inbox", unknown, el("div", { class: "bar" }, count,
    el("button", { type: "button", class: "quiet", onclick: help }, "Keys ", el("kbd", {}, "?"))), desk, before));

  const article = () => detail.querySelector("article");
  const read = reading(article);
  const row = (id) => rows.find((one) => one.id === id);
  const card = (id) => queue.querySelector(`[data-id="${CSS.escape(id)}"]`);
  // What is open, once all of it is here.
  const open = () => details.get(selected);

  function look(next) {
    wanted = next;
    [rows, known, room, pages, linked] = [[], null, SHOWN, [null], null];
    chosen.clear();
    history.replaceState(null, "", address(wanted));
    replace(queue);
    refresh();
  }

  function search() {
    replace(filters, form(wanted, look), wanted.alike
      ? el("p", { class: "note" }, "Those that are alike to one. ", el("button", { type: "button", class: "quiet", onclick: () => { const { alike: _, ...rest } = wanted; look(rest); search(); } }, "Show all"))
      : null);
  }

  async function refresh() {
    if (running) { again = true; return; }
    running = true;
    try {
      do {
        again = false;
        const what = { status: "pending", order: "worst", ...asked(wanted, me) };
        const isPiled = wanted.together && !wanted.alike;
        const [waiting, piled] = await Promise.all([
          answer(query("/v1/approvals", { ...what, limit: isPiled ? 1 : room, after: isPiled ? null : pages.at(-1) })),
          isPiled ? get(query("/v1/approvals/alike", { ...what, limit: MOST })) : null,
        ]);
        if (ended) return;
        const shown = piled ? piled.piles.map(({ count: times, first }) => ({ ...first, times })) : waiting.approvals;
        const had = rows.length;
        shownAt = waiting;
        if (begins && isNews(begins)) again = true;
        begins = null;
        await take(shown, waiting, piled);
        spoken?.look();
        if (known === null || rows.length < had || before.childElementCount === 0) recent();
      } while (again);
    } catch (problem) {
      if (!ended && problem.status !== 401) replace(count, `The inbox cannot be read: ${problem.message}.`);
    } finally {
      running = false;
    }
  }

  // The first that a stream tells is how things stand: what is shown need not be read again for it.
  const isNews = ({ head: at, pending }) => at !== shownAt.head || Math.min(pending, COUNTED) !== shownAt.pending;
  function changed(change) {
    if (!change?.first) return refresh();
    if (running) begins = change;
    else if (!shownAt || isNews(change)) refresh();
    return undefined;
  }

  async function take(shown, waiting, piled) {
    const ids = new Set(shown.map((one) => one.id));
    const fresh = known === null ? [] : shown.filter((one) => !known.has(one.id));
    for (const one of rows) if (!ids.has(one.id) && !isBusy(one.id) && one.id !== linked) gone(one.id);
    for (const id of chosen) if (!ids.has(id)) chosen.delete(id);
    const at = rows.findIndex((one) => one.id === selected);
    const old = new Map(rows.map((one) => [one.id, one]));
    const hasChanged = (one) => JSON.stringify([old.get(one.id)?.agreed, old.get(one.id)?.times, old.get(one.id)?.assigned]) !== JSON.stringify([one.agreed, one.times, one.assigned]);
    const hadFocus = desk.contains(document.activeElement);
    known = ids;
    rows = shown;
    for (const child of [...queue.children]) if (!ids.has(child.dataset.id)) child.remove();
    rows.forEach((one, index) => {
      const there = card(one.id);
      if (!there) queue.insertBefore(drawn(one), queue.children[index] ?? null);
      else if (hasChanged(one)) there.replaceWith(drawn(one));
    });
    if (!row(selected) && !(linked && selected === linked)) select(rows[Math.min(Math.max(at, 0), rows.length - 1)]?.id ?? null, hadFocus && at >= 0);
    else if (selected && (!details.has(selected) || !row(selected) || (old.has(selected) && hasChanged(row(selected))))) await unfold(false);
    for (const id of details.keys()) if (id !== selected) details.delete(id);
    tally(waiting, piled);
    queue.classList.toggle("empty", rows.length === 0);
    choices();
    if (fresh.length === 1) say(`New: ${fresh[0].agent ?? "an agent"} asks about ${fresh[0].tool}, risk ${fresh[0].risk}.`, "new");
    else if (fresh.length > 1 && fresh.length < rows.length) {
      const worst = RISKS.find((risk) => fresh.some((one) => one.risk === risk)) ?? "unknown";
      say(`${fresh.length} new requests, the worst of them ${worst}.`, "new");
    }
  }

  // What waits in all and what of it is shown, counted by risk: nothing is cut off without a word.
  function tally(waiting, piled) {
    const found = waiting.found_by_risk;
    const words = waiting.pending === 0 ? "Nothing waits." : many(waiting.pending, "waits", "wait");
    replace(count, found ? `${many(sum(found), "is", "are")} like that; ${words}` : words);
    const rest = { ...(found ?? waiting.pending_by_risk) };
    for (const one of rows) rest[one.risk] = (rest[one.risk] ?? 0) - (one.times ?? 1);
    const parts = RISKS.filter((risk) => rest[risk] > 0).map((risk) => [riskWord(risk), ` ${rest[risk]} `]);
    const more = () => { room = Math.min(room + SHOWN, MOST); refresh(); };
    const turn = (to) => () => { pages = to; rows = []; known = null; replace(queue); refresh(); scrollTo(0, 0); };
    const isFull = room >= MOST && rows.length >= MOST;
    replace(others, parts.length ? el("p", {}, pages.length > 1 ? "Before these and after: " : "Not shown: ", parts) : null,
      pages.length > 1 ? el("button", { type: "button", onclick: turn(pages.slice(0, -1)) }, "Those before") : null,
      piled?.cut ? el("p", {}, "There are more kinds than these: search for less.") : null,
      parts.length > 0 && !wanted.put_off && !waiting.next && pages.length === 1 ? el("button", { type: "button", class: "quiet", onclick: () => { look({ ...wanted, put_off: "1" }); search(); } }, "Show what you put off") : null,
      !piled && waiting.next ? el("button", { type: "button", onclick: isFull ? turn([...pages, waiting.next]) : more }, isFull ? "Those after" : "Show more") : null);
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
    const tick = mayDecide && !one.times ? el("input", {
      type: "checkbox", class: "tick", "aria-label": `Choose ${one.risk} risk, ${one.agent ?? "an agent"}, ${one.tool}`, checked: chosen.has(one.id),
      onchange: (event) => { if (event.target.checked) chosen.add(one.id); else chosen.delete(one.id); choices(); },
    }) : null;
    return el("li", { "data-id": one.id, class: `card edge-${one.risk}${isOpen ? " open" : ""}` }, tick,
      el("button", { type: "button", class: "summary", "aria-current": isOpen ? "true" : null, onclick: () => select(one.id, true, true) },
        el("span", { class: "head" }, head(one)),
        el("code", { class: "gist" }, line(one.preview ?? "").slice(0, 300)),
        el("span", { class: "tags" }, one.times > 1 ? el("strong", {}, `${one.times} alike `) : null, one.project ? `${one.project} ` : null,
          one.assigned ? `${one.assigned === me.name ? "yours" : "somebody sees to it"} ` : null,
          one.needed > 1 ? `${one.needed - (one.agreed ?? []).length} more must agree` : null)));
  }

  function choices() {
    const ones = rows.filter((one) => chosen.has(one.id));
    const ids = ones.map((one) => one.id);
    replace(several, ones.length === 0 ? null : [
      el("p", {}, `${ones.length} chosen`),
      el("button", { type: "button", class: "deny", onclick: () => denyMany(`Deny these ${ones.length}?`, null, { ids }, refresh) }, "Deny them"),
      el("button", { type: "button", disabled: ones.some(isGrave), onclick: () => approveMany(ones, refresh) }, "Approve them"),
      el("button", { type: "button", class: "quiet", onclick: () => { chosen.clear(); for (const box of queue.querySelectorAll(".tick")) box.checked = false; choices(); } }, "None"),
      ones.some(isGrave) ? el("p", { class: "note" }, "What is above medium is approved by itself.") : null,
    ]);
  }

  function buttons(one) {
    if (one.status !== "pending") return el("p", { class: "fate" }, `${fate(one)}.`);
    if (!mayDecide) return el("p", { class: "note" }, "Your token may look, and not decide.");
    const agreed = hasAgreed(one, me);
    return el("div", { class: "buttons" },
      el("p", { class: "unread note", role: "status" }),
      el("button", { type: "button", class: "approve", disabled: agreed || isCut(one.details), onclick: () => approve(one, me, read, refresh) },
        agreed ? "You agreed" : "Approve ", agreed ? "" : el("kbd", {}, "a")),
      el("button", { type: "button", class: "deny", onclick: () => deny(one, refresh) }, "Deny ", el("kbd", {}, "d")),
      one.details.alike && !isCut(one.details) ? el("button", { type: "button", class: "quiet", onclick: () => approveWithLike(one, me, read, refresh) }, "Its like … ", el("kbd", {}, "l")) : "",
      el("button", { type: "button", class: "quiet", onclick: () => edit(one, read, refresh) }, "Edit ", el("kbd", {}, "e")));
  }

  // What is done about all that are alike.
  function kin(one) {
    const times = row(one.id)?.times;
    if (one.status !== "pending" || wanted.alike) return null;
    const note = el("p", {}, "All that have the same tool, risk, rules, agent and project, and that came with the same token: those too that come until then.");
    return el("p", { class: "kin" },
      el("button", { type: "button", class: "quiet", onclick: () => { look({ alike: one.id }); search(); } }, times ? `Show these ${times}` : "Show what is alike"),
      mayDecide ? el("button", { type: "button", class: "quiet", onclick: () => denyMany("Deny all that are alike?", note, { alike: one.id }, refresh) }, "Deny all that are alike") : null);
  }

  function select(id, focus, isMeant = false) {
    const was = selected;
    selected = id;
    if (isMeant) {
      linked = null;
      desk.classList.add("chosen");
      history.replaceState(null, "", address(wanted, id));
    }
    for (const one of [was, id]) if (one && row(one)) card(one)?.replaceWith(drawn(row(one)));
    if (was !== id) { spoken = null; replace(detail); }
    return id ? unfold(focus) : replace(detail);
  }

  // Shows the one that is open, as it is now.
  async function unfold(focus) {
    const id = selected;
    let one;
    try {
      one = await get(`/v1/approvals/${id}`);
    } catch (problem) {
      if (id === selected && !ended) replace(detail, el("p", { class: "warning" }, problem.status === 404 ? "There is no such request, or it is not yours to see." : `It cannot be read: ${problem.message}.`));
      return;
    }
    if (id !== selected || ended) return;
    const same = article()?.dataset.id === id;
    details.set(id, one);
    if (!same) read.began();
    const name = `${one.risk} risk, ${one.agent ?? "an agent"}, ${one.tool}`;
    if (spoken?.id !== id || spoken.status !== one.status) spoken = talk(one, me, refresh);
    const hadFocus = same && article().contains(document.activeElement);
    replace(detail,
      el("button", { type: "button", class: "quiet back", onclick: () => { desk.classList.remove("chosen"); card(selected)?.querySelector(".summary")?.focus(); } }, "← To the list"),
      el("article", { tabindex: "-1", "aria-label": name, "data-id": id, class: `edge-${one.risk}` }, el("h2", { class: "head" }, head(one)), whole(one),
        el("p", { class: "others-there note" }), kin(one), buttons(one)), spoken.section);
    beside();
    if (focus || hadFocus) {
      article().focus({ preventScroll: true });
      if (!same) scrollTo(0, 0);
      card(id)?.scrollIntoView({ block: "nearest" });
    }
    read.look();
  }

  // Who else has it open, and whether the agent still waits. Nothing hangs on it, so that what cannot be known is not said.
  async function beside() {
    const id = selected;
    const there = article()?.querySelector(".others-there");
    if (!there || details.get(id)?.status !== "pending" || document.visibilityState !== "visible" || !there.checkVisibility()) return;
    let words = "";
    try {
      const { looking, waits } = await post(`/v1/approvals/${id}/look`);
      const names = looking.length ? `${looking.join(", ")} ${looking.length === 1 ? "looks" : "look"} at it too. ` : "";
      words = `${names}${waits ? "An agent waits for the answer." : "No agent waits for it at this gateway just now; it may come back for the answer."}`;
    } catch { /* It is asked again. */ }
    if (there.isConnected && there.textContent !== words) replace(there, words);
  }

  function move(by) {
    const at = rows.findIndex((one) => one.id === selected);
    const next = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
    if (next) select(next.id, true, true);
  }

  function help() {
    const shown = dialog("Keys", el("dl", { class: "keys" }, KEYS.map(([key, words]) =>
      el("div", {}, el("dt", {}, key.split(" or ").map((one, at) => [at ? " or " : "", el("kbd", {}, one)])), el("dd", {}, words)))), [
      el("button", { type: "button", class: "quiet", onclick: () => shown.close() }, "Close"),
    ]);
  }

  async function recent() {
    let decided;
    try {
      decided = (await get("/v1/approvals?limit=30")).approvals.filter((one) => one.status !== "pending").slice(0, 6);
    } catch { return; }
    if (decided.length === 0 || ended) return replace(before);
    return replace(before, el("h2", { id: "decided" }, "Decided lately"), el("ul", {}, decided.map((one) => el("li", {},
      moment(one.decided ?? one.asked), " ", riskWord(one.risk), " ",
      el("a", { href: `#/inbox/${one.id}` }, `${one.agent ?? "an agent"}, ${one.tool}`), " ", el("span", {}, fate(one))))));
  }

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target) && event.target.type !== "checkbox") return;
    if (document.querySelector("dialog[open]")) return;
    const one = open();
    const decides = (act) => () => { if (one?.status === "pending" && mayDecide) act(); };
    const acts = {
      j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
      a: decides(() => approve(one, me, read, refresh)), l: decides(() => approveWithLike(one, me, read, refresh)), d: decides(() => deny(one, refresh)), e: decides(() => edit(one, read, refresh)),
      x: () => card(selected)?.querySelector(".tick")?.click(), "/": () => filters.querySelector("input").focus(), "?": help,
    };
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : null;
    if (!act) return;
    event.preventDefault();
    act();
  }

  function tick() {
    for (const mark of desk.querySelectorAll("[data-expires]")) {
      const one = { expires: mark.dataset.expires };
      const much = mark.querySelector(".much");
      const words = left(one);
      if (much.textContent !== words) much.textContent = words;
      mark.classList.toggle("close", countdown(one).classList.contains("close"));
    }
    read.look();
    if (rows.some(isOver)) refresh();
  }

  const ticking = setInterval(tick, 1000);
  const looks = setInterval(beside, LOOKS);
  document.addEventListener("keydown", key);
  search();
  refresh();
  return {
    changed,
    end: () => {
      ended = true;
      clearInterval(ticking);
      clearInterval(looks);
      document.removeEventListener("keydown", key);
      read.end();
    },
  };
}
