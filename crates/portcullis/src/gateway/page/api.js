// Owns the talk with the gateway: requests with the token that only this page knows, problems as errors, the gateway's clock, and the
// stream of changes with its reconnecting. It shows nothing.

// Kept for this origin, its port included; the cookie goes to every port of the host, and is worth nothing without it.
const KEY = "portcullis-csrf";
let csrf = localStorage.getItem(KEY) ?? "";
let ahead = 0;

// Whether somebody logged in here before.
export const isKnown = () => csrf !== "";

// The address of a path of the gateway's, wherever a proxy put this page.
export const at = (path) => new URL(`.${path}`, document.baseURI).href;

// A request that was not done, with what the gateway says of it.
export class Problem extends Error {
  constructor(status, shape) {
    super(shape.detail ?? `the gateway answered ${status}`);
    this.status = status;
    this.code = shape.code ?? "";
    this.shape = shape;
  }
}

// The time by the gateway's clock, by which requests expire.
export function now() {
  return Date.now() + ahead;
}

export async function call(method, path, body) {
  const headers = { accept: "application/json", "x-portcullis-csrf": csrf };
  if (body !== undefined) headers["content-type"] = "application/json";
  let response;
  try {
    response = await fetch(at(path), {
      method, headers, credentials: "same-origin", redirect: "error",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Problem(0, { code: "unreachable", detail: "the gateway cannot be reached" });
  }
  keepTime(response);
  if (response.status === 204) return null;
  const shape = await response.json().catch(() => ({}));
  if (!response.ok) {
    const over = response.status === 401 || shape.code === "no-csrf-token";
    if (over && path !== "/v1/login") dispatchEvent(new Event("logged-out"));
    throw new Problem(response.status, shape);
  }
  if (typeof shape.csrf === "string") {
    csrf = shape.csrf;
    localStorage.setItem(KEY, csrf);
  }
  return shape;
}

// `Date` says whole seconds: half of one is the best guess for the rest, and only what is clearly off is believed to be.
function keepTime(response) {
  const told = Date.parse(response.headers.get("date") ?? "");
  if (Number.isNaN(told)) return;
  const difference = told + 500 - Date.now();
  ahead = Math.abs(difference) > 2000 ? difference : 0;
}

export const get = (path) => call("GET", path);
export const post = (path, body) => call("POST", path, body);

// Saves what is at a path as a file.
export async function save(path, name) {
  const response = await fetch(at(path), { headers: { "x-portcullis-csrf": csrf }, credentials: "same-origin", redirect: "error" });
  if (!response.ok) throw new Problem(response.status, await response.json().catch(() => ({})));
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

// A path with the parameters that are not empty.
export function query(path, parameters) {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(pairs).toString();
  return text ? `${path}?${text}` : path;
}

// Changes as they come: `changed({head, pending, first})`, the first of each stream being how things stand, and `state(true or false)` for whether we still hear of them.
export function listen(changed, state) {
  let source;
  let again;
  let ended = false;
  let first = true;
  const open = () => {
    source = new EventSource(at("/v1/events"));
    source.addEventListener("open", () => { first = true; state(true); });
    source.addEventListener("change", (event) => {
      try {
        changed({ ...JSON.parse(event.data), first });
      } catch {
        changed({});
      }
      first = false;
    });
    source.addEventListener("error", () => {
      state(false);
      if (source.readyState !== EventSource.CLOSED || ended) return;
      // A refusal ends an EventSource for good. Whether it is because the session ended, any request tells.
      again = setTimeout(() => { open(); get("/v1/me").catch(() => {}); }, 3000);
    });
  };
  open();
  return () => { ended = true; clearTimeout(again); source.close(); };
}
