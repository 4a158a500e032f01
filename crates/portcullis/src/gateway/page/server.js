// Owns the MCP servers: what was accepted of each, what is held and how that differs, and accepting it. Nothing is accepted that was not on the screen
// whole, from its beginning on.

import { get, post, query } from "./api.js";
import { dialog, el, line, moment, replace, say, shell, table } from "./view.js";

function wrong(place, problem) {
  if (problem.status !== 401) replace(place, el("p", { class: "warning", role: "alert" }, `Not done: ${problem.message}.`));
}

export function servers(place, me, argument) {
  return argument ? server(place, me, argument) : list(place);
}

function list(place) {
  const found = el("div", {}, "Looking …");
  replace(place, ...shell("MCP servers", found));
  const read = async () => {
    try {
      const { servers: all, more } = await get("/v1/servers");
      replace(found,
        all.length ? null : el("p", {}, "No server is known. ", el("code", {}, "[mcp.servers.NAME]"), " in the configuration puts one behind this gateway."),
        all.length ? table("Servers", ["Server", "Started by", "Confined", "Accepted", "Held", "Called lately"], all.map((one) => [
          [el("a", { href: `#/servers/${encodeURIComponent(one.server)}` }, one.server),
            one.path ? el("div", { class: "note" }, el("code", {}, one.path), one.running ? ` · ${one.running} running${one.waiting ? `, ${one.waiting} waited for` : ""}` : "") : null],
          el("code", {}, (one.command ?? []).join(" ")),
          confined(one),
          one.broken ? el("span", { class: "warning" }, `cannot be read: ${one.broken}`) : String(one.accepted.length),
          one.held.length ? el("a", { class: "warning", href: `#/servers/${encodeURIComponent(one.server)}` }, `${one.held.length} held`) : "nothing",
          calls(one),
        ])) : null,
        more ? el("p", { class: "note" }, "There are more servers than are listed.") : null);
    } catch (problem) {
      wrong(found, problem);
    }
  };
  read();
  return { changed: read };
}

function confined(one) {
  const { by, hosts, profile } = one.confined;
  if (by === "contract") return `by its contract: ${hosts.length ? hosts.join(", ") : "no host"}`;
  if (by === "profile") return el("span", {}, "by the profile ", el("code", {}, profile));
  if (by === "address") return "is elsewhere";
  return el("span", { class: "warning" }, "by nothing");
}

function calls(one) {
  const { allow, ask, deny, last } = one.calls;
  if (!last) return "not at all";
  return el("a", { href: `#${query("/history", { text: `mcp__${one.server}__` })}` }, `${allow} allowed, ${ask} asked, ${deny} denied, the last `, moment(last));
}

function server(place, me, name) {
  const mayAccept = me.scopes.includes("approve");
  const found = el("div", {}, "Looking …");
  const back = el("p", {}, el("a", { href: "#/servers" }, "All servers"));
  replace(place, ...shell(line(name), back, found));
  let shown = [];

  async function read() {
    try {
      const { held } = await get(`/v1/servers/${encodeURIComponent(name)}`);
      shown = held.map((one) => ({ one, box: difference(one), to: 0, isRead: false }));
      replace(found,
        held.length ? el("p", {}, "What is held is neither listed nor called. Accept what you have read and mean; it is recorded under your name.")
          : el("p", { class: "good" }, "Nothing of it is held."),
        shown.map(card),
        mayAccept && held.length > 1 ? el("div", { class: "buttons" },
          el("button", { type: "button", class: "approve", onclick: () => ask(shown.filter(({ one }) => one.mark)) }, "Accept all of it …")) : null,
        mayAccept ? null : el("p", { class: "note" }, "Your token may look, and not accept."));
      look();
    } catch (problem) {
      wrong(found, problem);
    }
  }

  function difference(one) {
    if (typeof one.difference !== "string") return el("p", { class: "warning" }, "It is too long to be shown whole, so that nobody can accept it here.");
    // The first lines say where the rest stands.
    return el("div", { class: "edit command" }, one.difference.split("\n").filter(Boolean).map((text) => {
      const sign = text.startsWith("+") ? "is" : text.startsWith("-") ? "was" : "same";
      return el("div", { class: `line ${sign}` }, el("span", { class: "sign" }, text.slice(0, 1)), el("span", { class: "says" }, text.slice(1)));
    }));
  }

  function card(item) {
    const { one, box } = item;
    return el("article", { class: "card edge-high", "aria-label": `${one.kind} ${one.name}` },
      el("h2", {}, one.kind, " ", one.name ? el("code", {}, one.name) : "", one.is_new ? " (new)" : ""),
      el("ul", {}, one.why.map((why) => el("li", {}, why))),
      box,
      mayAccept && one.mark ? el("div", { class: "buttons" },
        el("button", { type: "button", class: "approve", onclick: () => ask([item]) }, "Accept …")) : null);
  }

  // Notes how much of each was on the screen, from its beginning on and without a gap.
  function look() {
    if (document.visibilityState !== "visible" || document.querySelector("dialog[open]")) return;
    const head = document.getElementById("top").getBoundingClientRect();
    const above = Math.max(0, head.top <= 1 ? head.bottom : 0);
    for (const item of shown) {
      const area = item.box.getBoundingClientRect();
      // In another width it stands elsewhere, and is read anew.
      if (!item.isRead && Math.abs((item.width ?? area.width) - area.width) >= 1) item.to = 0;
      item.width = area.width;
      const from = Math.max(0, above - area.top);
      const to = Math.min(area.height, innerHeight - area.top);
      if (to - from >= Math.min(14, area.height) && from <= item.to + 1) item.to = Math.max(item.to, to);
      item.isRead ||= item.to >= area.height - 1;
    }
  }

  function ask(items) {
    look();
    const unread = items.find((item) => !item.isRead);
    if (unread) {
      unread.box.scrollIntoView({ block: unread.to > 0 ? "end" : "start" });
      return say("Read it first: not all of it was on the screen.", "bad");
    }
    const sure = dialog(items.length === 1 ? "Accept this?" : `Accept these ${items.length}?`, el("div", {},
      el("p", {}, `Agents are shown it, and may call it as the policy lets them. The server is `, el("code", {}, name), "."),
      el("ul", {}, items.map(({ one }) => el("li", {}, one.kind, " ", el("code", {}, one.name))))), [
      el("button", { type: "button", class: "approve", onclick: () => { sure.close(); accept(items); } }, "Accept"),
      el("button", { type: "button", class: "quiet", onclick: () => sure.close() }, "Go back"),
    ]);
  }

  async function accept(items) {
    try {
      const { accepted } = await post(`/v1/servers/${encodeURIComponent(name)}/accept`, { marks: items.map(({ one }) => one.mark) });
      say(`Accepted: ${accepted.join(", ")}.`, "good");
    } catch (problem) {
      say(`Not accepted: ${problem.message}.`, "bad");
    }
    read();
  }

  addEventListener("scroll", look, { passive: true });
  addEventListener("resize", look);
  read();
  return { end: () => { removeEventListener("scroll", look); removeEventListener("resize", look); } };
}
