// Owns what was kept before actions: the list, what one of them would bring back, and bringing it back. Nothing is put back that was not shown.

import { get, post } from "./api.js";
import { el, line, moment, prose, replace, say, shell, table, terms } from "./view.js";

function wrong(place, problem) {
  if (problem.status !== 401) replace(place, el("p", { class: "warning", role: "alert" }, `Not done: ${problem.message}.`));
}

export function snapshots(place, me, argument) {
  return argument ? snapshot(place, me, argument) : list(place);
}

function list(place) {
  const found = el("div", {}, "Looking …");
  replace(place, ...shell("Undo", found));
  const read = async () => {
    try {
      const { snapshots: all } = await get("/v1/snapshots");
      const rows = [...all].reverse().map((one) => [
        moment(one.taken),
        el("a", { class: "preview", href: `#/undo/${encodeURIComponent(one.snapshot)}` }, el("code", {}, line(one.action).slice(0, 240) || one.snapshot)),
        el("code", {}, one.workspace),
        one.session ? el("a", { href: `#/session/${encodeURIComponent(one.session)}` }, one.session) : "",
        one.record ? el("a", { href: `#/record/${one.record}` }, `№ ${one.record}`) : "",
        one.undone ? `brought back${one.staying ? ` but for ${one.staying}` : ""}` : `${one.files} files`,
      ]);
      replace(found,
        el("p", {}, "Files of this machine, as they were before actions that change or lose them."),
        rows.length ? table("What can be brought back, the newest first", ["Time", "Action", "Where", "Session", "Record", "Kept"], rows)
          : el("p", { class: "nothing" }, "Nothing was kept."));
    } catch (problem) {
      wrong(found, problem);
    }
  };
  read();
  return { changed: read };
}

function snapshot(place, me, name) {
  const mayUndo = me.scopes.includes("approve");
  const found = el("div", {}, "Looking …");
  const back = el("p", {}, el("a", { href: "#/undo" }, "All that was kept"));
  replace(place, ...shell("Undo", back, found));

  const read = async () => {
    try {
      const one = await get(`/v1/snapshots/${encodeURIComponent(name)}`);
      const doable = one.files.filter(({ what }) => what !== "conflict" && what !== "lost");
      const chosen = new Map();
      const rows = one.files.map((file) => {
        const box = el("input", { type: "checkbox", "aria-label": `Bring back ${line(file.path)}` });
        const can = doable.includes(file);
        box.checked = can;
        box.disabled = !can;
        if (can) chosen.set(file.path, box);
        return [box, file.what, el("code", {}, file.path || "."), file.why ?? ""];
      });
      const bring = async () => {
        const paths = [...chosen].filter(([, box]) => box.checked).map(([path]) => path).filter(Boolean);
        const all = paths.length === [...chosen.keys()].filter(Boolean).length;
        if (!all && paths.length === 0) return say("Nothing is chosen.", "bad");
        try {
          const done = await post(`/v1/snapshots/${encodeURIComponent(name)}/undo`, { paths: all ? [] : paths });
          say(`${done.brought_back} files brought back${done.conflicts ? `, ${done.conflicts} left as they are` : ""}.`, "good");
        } catch (problem) {
          say(`Not done: ${problem.message}.`, "bad");
        }
        read();
      };
      replace(found,
        el("pre", { class: "command", tabindex: "0", role: "group", "aria-label": "The action" }, el("code", {}, one.action)),
        terms([["When", moment(one.taken)], ["Where", el("code", {}, one.workspace)],
          ["Record", one.record && el("a", { href: `#/record/${one.record}` }, `№ ${one.record}`)], ["Brought back before", one.undone ? "yes" : null]]),
        rows.length ? table("What would be brought back", ["Chosen", "What", "File", "Why not"], rows) : el("p", { class: "good" }, "Everything stands as it was."),
        [...one.not_kept, ...one.beyond].map((words) => el("p", { class: "warning" }, prose(`Not kept: ${words}`))),
        doable.length && mayUndo ? el("div", { class: "buttons" }, el("button", { type: "button", class: "approve", onclick: bring }, "Bring back what is chosen")) : null,
        doable.length && !mayUndo ? el("p", { class: "note" }, "Your token shows this, and brings nothing back.") : null);
    } catch (problem) {
      wrong(found, problem);
    }
  };
  read();
  return {};
}
