// Owns how things get onto the page: every element and every text is made here, so that no text of anybody's is ever taken for markup
// and nothing that hides or moves text is shown as itself. It knows nothing of approvals, records or the network.

// What does not show itself as what it is: controls, formats, private and unassigned characters, odd spaces and what has no width.
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{DI}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800\u303f]/gu;

// Any text, made fit to be read: what is hidden is written out. Line feeds and tabs stay, because they move nothing out of its place.
export function visible(text) {
  return String(text).replace(HIDDEN, (character) =>
    character === "\n" || character === "\t" ? character : escape(character.codePointAt(0)));
}

// The same on one line.
export function line(text) {
  return visible(text).replace(/\n/g, "\\n").replace(/\t/g, "\\t");
}

// The same inside JSON, where the escapes mean what they stand for.
export function visibleJson(value) {
  const text = JSON.stringify(value, null, 2);
  return text.replace(HIDDEN, (character) => {
    if (character === "\n") return character;
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}

function escape(point) {
  if (point === 13) return "\\r";
  return `\\u{${point.toString(16)}}`;
}

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : visible(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    element.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
  return element;
}

// An element with attributes and children. Whatever is no node becomes text that can be seen.
export function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

// The same for drawings.
export function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

// Words in which `what stands between two of these` is a name or a command. The ticks stay: a command may hold some of its own.
export function prose(text) {
  return String(text).split(/(`[^`]*`)/).map((piece) => piece.startsWith("`") ? el("code", {}, piece) : piece);
}

export function replace(element, ...children) {
  element.replaceChildren();
  return fill(element, {}, children);
}

// Says something to everybody, those who listen to the page too.
export function say(words, kind = "") {
  const place = document.getElementById("told");
  const note = el("p", { class: kind }, words);
  // What is new now says all that the news before it said: they would lie over what is read.
  if (kind === "new") for (const old of place.querySelectorAll(".new")) old.remove();
  place.append(note);
  while (place.childElementCount > 3) place.firstElementChild.remove();
  setTimeout(() => note.remove(), 9000);
}

// How risky: a word, with a mark whose shape differs too, because a colour alone tells some people nothing.
const SHAPES = { safe: "○", low: "◔", medium: "◑", high: "◕", critical: "●", unknown: "◌" };

export function riskWord(risk) {
  const known = Object.hasOwn(SHAPES, risk) ? risk : "unknown";
  return el("span", { class: `risk risk-${known}` },
    el("span", { "aria-hidden": "true", class: "shape" }, SHAPES[known]), ` ${risk ?? "unknown"}`);
}

const VERDICTS = ["allow", "ask", "deny"];

export function verdictWord(word) {
  if (!word) return "";
  return el("span", { class: VERDICTS.includes(word) ? `verdict verdict-${word}` : "verdict" }, word);
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

// A moment as people say it, with the exact one beside it.
export function moment(text) {
  const time = new Date(text);
  if (!text || Number.isNaN(time.getTime())) return el("span", {}, text ?? "");
  const isToday = time.toDateString() === new Date().toDateString();
  const words = isToday ? clock.format(time) : `${day.format(time)}, ${clock.format(time)}`;
  return el("time", { datetime: text, title: text }, words);
}

// A length of time in words.
export function span(milliseconds) {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

// A field of a form with its label.
let fields = 0;
export function field(label, control, hint) {
  fields += 1;
  control.id ||= `field-${fields}`;
  if (hint) control.setAttribute("aria-describedby", `${control.id}-hint`);
  return el("div", { class: "field" },
    el("label", { for: control.id }, label), control,
    hint && el("small", { id: `${control.id}-hint` }, hint));
}

export function choice(name, options, chosen) {
  return el("select", { name }, options.map(([value, label]) =>
    el("option", { value, selected: value === chosen }, label)));
}

// A table whose cells know their headings, so that it can be laid out on a phone.
export function table(caption, headings, rows) {
  return el("table", {},
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, headings.map((heading) => el("th", { scope: "col" }, heading)))),
    el("tbody", {}, rows.map((cells) => el("tr", {}, cells.map((cell, at) =>
      el("td", { "data-heading": headings[at] }, cell))))));
}

export function terms(pairs) {
  return el("dl", { class: "terms" }, pairs
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))));
}

// A dialog that gives the focus back to whoever had it. `keys` are the ones that mean something in it.
export function dialog(title, content, buttons, keys = {}) {
  const before = document.activeElement;
  const opened = performance.now();
  const heading = el("h2", { id: "dialog-title", tabindex: "-1" }, title);
  const element = el("dialog", {
    "aria-labelledby": "dialog-title",
    onclose: () => { element.remove(); if (before?.isConnected) before.focus({ preventScroll: true }); },
    onkeydown: (event) => {
      const act = keys[event.key];
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat;
      if (act && isPlain && !isTyping(event.target) && performance.now() - opened > 400) {
        event.preventDefault();
        act();
      }
    },
  }, heading, content, el("div", { class: "buttons" }, buttons));
  document.body.append(element);
  element.showModal();
  heading.focus();
  return element;
}

export function isTyping(target) {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

export function shell(title, ...content) {
  return [el("h1", { tabindex: "-1" }, title), ...content];
}
