// Owns what leads out of the page: the accounts of a chat that speak for somebody, and what was sent to whom, with trying again what nobody took.

import { call, get, post } from "./api.js";
import { el, moment, replace, say, shell, table } from "./view.js";

function wrong(place, problem) {
  if (problem.status !== 401) replace(place, el("p", { class: "warning", role: "alert" }, `Not done: ${problem.message}.`));
}

export function chat(place, me) {
  const linked = el("div", {}, "Looking …");
  const code = el("div", { role: "status" });
  const mayRead = me.scopes.includes("read") || me.scopes.includes("admin");
  const sent = mayRead ? el("div", {}, "Looking …") : null;
  replace(place, ...shell("Chat",
    el("section", { "aria-labelledby": "accounts" }, el("h2", { id: "accounts" }, "Accounts"), linked, code),
    mayRead ? el("section", { "aria-labelledby": "messages" }, el("h2", { id: "messages" }, "Messages"), sent) : null));

  async function links() {
    try {
      const { slack, up_to: most, socket, links: all } = await get("/v1/chat/links");
      const mine = all.some((one) => one.name === me.name);
      replace(linked,
        slack ? el("p", {}, `Requests up to the risk ${most} are decided in Slack by who linked their account there. Everything else is decided here.`)
          : el("p", {}, "No chat is set up in which anybody decides. ", el("code", {}, "[chat.slack]"), " in the configuration does that."),
        socket && !socket.connected ? el("p", { class: "warning" }, `Slack is not heard now${socket.trouble ? `: ${socket.trouble}` : ""}. Buttons do nothing until it is.`) : null,
        all.length ? table("Linked accounts", ["Account", "Speaks for", "Since", "End it"], all.map((one) => [
          el("code", {}, `${one.team} ${one.user}`), one.name, moment(one.linked),
          el("button", { type: "button", class: "quiet", "aria-label": `End the link of ${one.user}`, onclick: () => end(one) }, "End it"),
        ])) : null,
        slack && me.scopes.includes("approve") ? el("div", { class: "buttons" },
          el("button", { type: "button", class: "approve", onclick: show }, mine ? "Link another account" : "Link your account")) : null);
    } catch (problem) {
      wrong(linked, problem);
    }
  }

  async function show() {
    try {
      const { command, expires } = await post("/v1/chat/links");
      replace(code, el("p", { class: "good" }, "Type this in Slack, where only you see it, until ", moment(expires), ". It counts once. Give it to nobody: whoever types it speaks for you."),
        el("output", { class: "secret" }, command));
    } catch (problem) {
      wrong(code, problem);
    }
  }

  async function end(one) {
    try {
      await call("DELETE", `/v1/chat/links/${one.id}`);
      say(`${one.user} speaks for ${one.name} no more.`, "good");
    } catch (problem) {
      say(`Not done: ${problem.message}.`, "bad");
    }
    links();
  }

  async function messages() {
    if (!sent) return;
    try {
      const { receivers, notices } = await get("/v1/notices");
      replace(sent,
        receivers.length ? el("p", {}, `Told of requests: ${receivers.map((one) => one.name).join(", ")}.`)
          : el("p", {}, "Nobody is told of requests elsewhere. ", el("code", {}, "[[chat.receivers]]"), " in the configuration does that."),
        notices.length ? table("Messages, the newest first", ["To", "About", "State", "Attempts", "Made", "What went wrong", "Again"], notices.map((one) => [
          one.receiver, el("a", { href: `#/inbox/${one.approval}` }, one.about === "asked" ? "a request" : "what was decided"),
          one.state === "dead" ? el("span", { class: "warning" }, "not delivered") : one.state, String(one.attempts), moment(one.made),
          one.trouble ?? "",
          me.scopes.includes("admin") && one.state !== "needless" ? el("button", { type: "button", class: "quiet", onclick: () => repeat(one) }, "Send anew") : null,
        ])) : null);
    } catch (problem) {
      wrong(sent, problem);
    }
  }

  async function repeat(one) {
    try {
      await post(`/v1/notices/${one.id}/repeat`);
      say("It is tried again.", "good");
    } catch (problem) {
      say(`Not done: ${problem.message}.`, "bad");
    }
    messages();
  }

  links();
  messages();
  return { changed: messages };
}
