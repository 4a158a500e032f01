// A server over standard input and output that is another one over HTTP: each line becomes a request, what comes back becomes lines. It reads nothing of
// a message but what the transport wants to know.

import { createInterface } from "node:readline";

const url = process.argv[2];
const sentinel = (value) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value) ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`;
const mirrored = new Map();
const open = new Map();
let session;
let version;

const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

/** The arguments of a tool that its schema wants in headers. */
function wanted(schema, at = []) {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, inner]) => [
    ...(inner?.["x-mcp-header"] ? [[inner["x-mcp-header"], [...at, name]]] : []), ...wanted(inner, [...at, name])]);
}

function headers(message) {
  const all = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const meta = message.params?._meta ?? {};
  const own = meta["io.modelcontextprotocol/protocolVersion"];
  if (own) {
    all["mcp-method"] = message.method;
    const name = message.params.name ?? message.params.uri;
    if (["tools/call", "prompts/get", "resources/read"].includes(message.method) && name !== undefined) all["mcp-name"] = sentinel(String(name));
    for (const [header, path] of mirrored.get(message.params?.name) ?? []) {
      const value = path.reduce((inner, step) => inner?.[step], message.params.arguments);
      if (value !== undefined && value !== null) all[`mcp-param-${header}`] = sentinel(String(value));
    }
  }
  if (own ?? version) all["mcp-protocol-version"] = own ?? version;
  if (session && !own) all["mcp-session-id"] = session;
  return all;
}

function seen(message) {
  if (message.result?.protocolVersion) version = message.result.protocolVersion;
  for (const tool of message.result?.tools ?? []) mirrored.set(tool.name, wanted(tool.inputSchema));
  write(message);
}

async function events(body) {
  let rest = "";
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    rest += part;
    const whole = rest.replaceAll("\r\n", "\n").split("\n\n");
    rest = whole.pop();
    for (const event of whole) {
      const data = event.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart()).join("\n");
      if (data) seen(JSON.parse(data));
    }
  }
}

async function listen() {
  const answer = await fetch(url, { headers: { accept: "text/event-stream", "mcp-session-id": session, "mcp-protocol-version": version } });
  if (answer.ok) await events(answer.body);
}

async function passed(message) {
  const control = new AbortController();
  if (message.id !== undefined && message.method) open.set(JSON.stringify(message.id), control);
  if (message.method === "notifications/cancelled") open.get(JSON.stringify(message.params?.requestId))?.abort();
  try {
    const answer = await fetch(url, { method: "POST", headers: headers(message), body: JSON.stringify(message), signal: control.signal });
    session ??= answer.headers.get("mcp-session-id") ?? undefined;
    if (answer.headers.get("content-type")?.startsWith("text/event-stream")) await events(answer.body);
    else {
      const text = await answer.text();
      if (text) seen(JSON.parse(text));
    }
    if (message.method === "notifications/initialized" && session) listen().catch(() => {});
  } catch (error) {
    if (control.signal.aborted || message.id === undefined) return;
    write({ jsonrpc: "2.0", id: message.id, error: { code: -32603, message: `the server over HTTP did not answer: ${error.message}` } });
  } finally {
    open.delete(JSON.stringify(message.id));
  }
}

const inOrder = ["initialize", "notifications/initialized"];
let last = Promise.resolve();
createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  // What begins a session comes before whatever belongs to it.
  const sent = last.then(() => passed(message));
  if (inOrder.includes(message.method)) last = sent;
}).on("close", () => process.exit(0));
