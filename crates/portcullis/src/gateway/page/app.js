// Owns the frame: logging in and out, which view is shown, the theme, and whether the gateway is still heard. The views own themselves.

import { at, call, get, listen, post } from "./api.js";
import { dashboard } from "./chart.js";
import { chat } from "./chat.js";
import { whose } from "./early.js";
import { history, record, session, sessions } from "./history.js";
import { inbox } from "./inbox.js";
import { people } from "./people.js";
import { policy, rules, tokens } from "./rule.js";
import { servers } from "./server.js";
import { snapshots } from "./undo.js";
import { el, field, moment, replace, say, shell } from "./view.js";

const main = document.getElementById("main");
const top = document.getElementById("top");

// Path, its view, its name in the navigation, and the scopes of which one is needed.
const VIEWS = [
  ["inbox", inbox, "Inbox", ["approve", "read", "admin"]],
  ["history", history, "History", ["read", "admin"]],
  ["record", record, null, ["read", "admin"]],
  ["sessions", sessions, "Sessions", ["read", "admin"]],
  ["session", session, null, ["read", "admin"]],
  ["dashboard", dashboard, "Dashboard", ["read", "admin"]],
  ["rules", rules, "Rules", ["read", "admin"]],
  ["policy", policy, "Policy", ["read", "admin"]],
  ["undo", snapshots, "Undo", ["read", "admin"]],
  ["servers", servers, "Servers", ["read", "approve"]],
  ["chat", chat, "Chat", ["approve", "read", "admin"]],
  ["people", people, "People", ["approve", "read", "admin"]],
  ["tokens", tokens, "Tokens", ["admin"]],
];
// The views that show one thing; the others show all of theirs, and nothing by its name.
const OF_ONE = ["inbox", "record", "servers", "session", "undo"];
const ABOVE = { record: "history", session: "sessions" };

let me = null;
let view = null;
let deaf = null;

const isMine = (scopes) => scopes.some((scope) => me.scopes.includes(scope));

function route() {
  const [path, text] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/");
  let argument = rest.join("/");
  try { argument = decodeURIComponent(argument); } catch { /* Taken as it is. */ }
  return { name: name || "inbox", argument, parameters: new URLSearchParams(text ?? "") };
}

function show(focus = true) {
  if (!me) return;
  const { name, argument, parameters } = route();
  view?.end?.();
  view = null;
  named();
  const found = VIEWS.find(([path, , , scopes]) => path === name && isMine(scopes));
  if (!found) replace(main, ...shell("Not here", el("p", {}, "There is no such page, or your token does not show it. ", el("a", { href: "#/inbox" }, "To the inbox"))));
  else if (argument && !OF_ONE.includes(name)) replace(main, ...shell("Not here", el("p", {}, `There is no such thing as “${argument}” here. `, el("a", { href: `#/${name}` }, `To ${found[2]}`))));
  else view = found[1](main, me, argument, parameters);
  for (const link of top.querySelectorAll("nav a")) {
    const isHere = link.getAttribute("href") === `#/${ABOVE[name] ?? name}`;
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (focus) (main.querySelector("h1") ?? main).focus({ preventScroll: true });
  scrollTo(0, 0);
}

function frame() {
  const state = el("p", { id: "state", class: "state", role: "status" });
  replace(top,
    el("a", { class: "name", href: "#/inbox" }, "Portcullis"),
    el("nav", { "aria-label": "Pages" }, VIEWS.filter(([, , label, scopes]) => label && isMine(scopes))
      .map(([path, , label]) => el("a", { href: `#/${path}` }, label, path === "inbox" ? el("span", { class: "waits" }) : null))),
    el("div", { class: "self" }, state, bell(),
      el("button", { type: "button", class: "quiet", onclick: turn, "aria-label": "Light or dark" }, "◐"),
      el("span", { class: "me", title: me.name }, me.shown ?? me.name),
      el("button", { type: "button", class: "quiet", onclick: leave }, "Log out")));
  top.hidden = false;
  heard(state, null);
  deaf?.();
  deaf = listen((change) => { heard(state, true); waits(change.pending); view?.changed?.(change); banner(); }, (is) => heard(state, is));
  clearInterval(watching);
  watching = setInterval(banner, 5000);
  banner();
}

// A looser policy than the one that was set up, on every page while it holds.
let watching = 0;
let asking = false;
async function banner() {
  if (!me || asking) return;
  asking = true;
  try {
    const { loosened } = await get("/v1/policy/approval");
    if (me) warn(loosened);
  } catch { /* What was last known stays: whether it ended, nobody can say now. */ } finally {
    asking = false;
  }
}

function warn(loosened) {
  const place = document.getElementById("loosened");
  const is = loosened ? `${loosened.request} ${loosened.approval_policy} ${loosened.until}` : "";
  if (place.dataset.is === is) return;
  place.dataset.is = is;
  place.hidden = !loosened;
  if (!loosened) return replace(place);
  const agreed = loosened.approver && loosened.approver !== loosened.by ? `, and ${loosened.approver} agreed` : "";
  const end = async () => {
    try {
      await call("DELETE", "/v1/policy/approval");
      say("The looser policy is ended.", "good");
    } catch (problem) {
      say(`Not ended: ${problem.message}.`, "bad");
    }
    banner();
  };
  replace(place,
    el("p", {}, el("strong", {}, `The approval policy is loosened: ${loosened.approval_policy.replaceAll("_", " ")}`), " until ", moment(loosened.until),
      `. ${loosened.by} wanted it${agreed}. `, el("a", { href: "#/policy" }, "Policy")),
    me.scopes.includes("admin") ? el("button", { type: "button", class: "deny", onclick: end }, "End it now") : null);
}

// How many wait, on every page: in its title, beside the way to the inbox, and on the icon where the system shows that.
const MOST = 999;
let pending = 0;
function waits(count) {
  if (!Number.isInteger(count)) return;
  const more = count > pending;
  pending = count;
  named();
  const badge = top.querySelector(".waits");
  if (badge) replace(badge, count ? el("span", { "aria-hidden": "true" }, count > MOST ? `${MOST}+` : count) : null, count ? el("span", { class: "unseen" }, ` ${count} wait`) : null);
  navigator.setAppBadge?.(count).catch(() => {});
  if (more && document.visibilityState === "hidden" && globalThis.Notification?.permission === "granted") {
    // It says that something waits, and not what: others may see this screen.
    new Notification("Portcullis", { body: `${count} ${count === 1 ? "request waits" : "requests wait"}.`, tag: "waits" }).onclick = () => globalThis.focus();
  }
}

function named() {
  document.title = pending ? `(${pending}) Portcullis` : "Portcullis";
}

// Whether the browser is to say when something waits while another page is looked at: asked for once, by whoever wants it.
function bell() {
  if (!globalThis.Notification || Notification.permission !== "default") return null;
  const button = el("button", { type: "button", class: "quiet", onclick: async () => { await Notification.requestPermission(); button.remove(); } }, "Notify me");
  return button;
}

function heard(state, is) {
  if (state.dataset.is === String(is)) return;
  state.dataset.is = String(is);
  const words = { null: "Connecting …", true: "Live", false: "Disconnected: what you see may be old. Trying again …" };
  replace(state, words[is]);
}

function turn() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  try { localStorage.setItem("theme", root.dataset.theme); } catch { /* Not remembered then. */ }
}

async function leave() {
  let answer;
  try {
    answer = await call("POST", "/v1/logout");
  } catch (problem) {
    return say(`Not logged out: ${problem.message}.`, "bad");
  }
  out();
  if (answer?.leave) location.assign(answer.leave);
}

// Several requests may find it out at once; what is typed into the form is not lost to another one.
let isLeaving = false;
async function out() {
  if (isLeaving || (!me && main.querySelector("form.login"))) return;
  isLeaving = true;
  me = null;
  view?.end?.();
  view = null;
  deaf?.();
  deaf = null;
  clearInterval(watching);
  warn(null);
  top.hidden = true;
  for (const open of document.querySelectorAll("dialog")) open.close();
  waits(0);
  let ways = { login: false, tokens: true };
  try { ways = await get("/v1/login"); } catch { /* Then a token is tried, and what is wrong is said. */ }
  isLeaving = false;
  if (me) return;
  if (ways.login && !ways.tokens) return replace(main, el("div", { class: "login" }, ...company(true)));
  const token = el("input", { type: "password", autocomplete: "off", required: true, spellcheck: "false" });
  const wrong = el("p", { class: "warning", role: "alert" });
  const enter = async (event) => {
    event.preventDefault();
    try {
      me = await post("/v1/login", { token: token.value.trim() });
    } catch (problem) {
      replace(wrong, `Not logged in: ${problem.message}.`);
      token.select();
      return;
    }
    token.value = "";
    frame();
    show();
  };
  replace(main, el("form", { class: "login", onsubmit: enter },
    ...company(ways.login),
    field("Your token", token, "It stands in the file that `portcullis serve` names. An agent’s token opens nothing here."),
    wrong, el("div", { class: "buttons" }, el("button", { type: "submit", class: "approve" }, "Log in"))));
  token.focus();
}

// What stands before any way in, and the way in by the company's login where there is one.
function company(is) {
  const { name, argument } = route();
  const place = /^[A-Za-z0-9/_-]*$/.test(`${name}/${argument}`) ? `${name}/${argument}` : "";
  return [
    el("h1", {}, "Portcullis"),
    el("p", {}, "Agents wait at this gate until somebody lets them through."),
    is ? el("p", { class: "buttons" }, el("a", { class: "approve button", href: at(`/login?place=${place}`) }, "Log in with your company’s account")) : null,
  ].filter((part) => part !== null);
}

async function begin() {
  try { document.documentElement.dataset.theme = localStorage.getItem("theme") ?? ""; } catch { /* As the system has it. */ }
  addEventListener("hashchange", () => show());
  addEventListener("logged-out", out);
  try {
    me = await whose;
  } catch (problem) {
    // Nobody heard yet that nobody is logged in.
    if (problem.status === 401 || problem.code === "no-csrf-token") out();
    else replace(main, ...shell("Portcullis", el("p", { class: "warning" }, `${problem.message}.`)));
    return;
  }
  frame();
  show(false);
}

document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
begin();
