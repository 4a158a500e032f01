// An endpoint over HTTP before a program that speaks over standard input and output: `node from-http.mjs PORT -- PROGRAM ARGUMENTS`. In the revisions
// with sessions each has a process, in the others all share one. It judges nothing: what an endpoint must refuse by itself is not tried with it, but for
// whom it listens to.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [, , port, , ...words] = process.argv;
const sessions = new Map();
let shared;

class Behind {
  constructor() {
    this.child = spawn(words[0], words.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    this.waiting = new Map();
    this.listener = undefined;
    this.next = 0;
    this.latest = undefined;
    createInterface({ input: this.child.stdout }).on("line", (line) => this.said(JSON.parse(line)));
  }

  send(message) {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  said(message) {
    const isAnswer = message.id !== undefined && !message.method;
    const stream = isAnswer ? this.waiting.get(message.id)
      : this.waiting.get(message.params?._meta?.["io.modelcontextprotocol/subscriptionId"]) ?? this.byToken(message.params?.progressToken) ?? this.latest ?? this.listener;
    if (!stream) return;
    if (!isAnswer) return stream.write(message);
    this.waiting.delete(message.id);
    if (this.latest === stream) this.latest = [...this.waiting.values()].at(-1);
    stream.write({ ...message, id: stream.id });
    stream.end();
  }

  byToken(token) {
    return token === undefined ? undefined : [...this.waiting.values()].find((stream) => stream.token === token);
  }

  ask(message, stream, isShared) {
    const id = isShared ? `w${this.next++}` : message.id;
    this.waiting.set(id, stream);
    this.latest = stream;
    stream.token = message.params?._meta?.progressToken;
    this.send({ ...message, id });
    return id;
  }

  end() {
    this.child.stdin.end();
  }
}

/** Events to a client. */
function streamOf(response, id) {
  return {
    id,
    write(message) {
      if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.write(`data: ${JSON.stringify(message)}\n\n`);
    },
    end: () => response.end(),
  };
}

function refused(response, status, code, message, id = null) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
}

function isHere(request) {
  const name = (value) => (value ?? "").replace(/^https?:\/\//, "").replace(/:\d+$/, "");
  const here = ["localhost", "127.0.0.1", "[::1]"];
  return here.includes(name(request.headers.host)) && (request.headers.origin === undefined || here.includes(name(request.headers.origin)));
}

async function answered(request, response) {
  if (!isHere(request)) return refused(response, 403, -32600, "not from here");
  const own = sessions.get(request.headers["mcp-session-id"]);
  if (request.method === "GET" || request.method === "DELETE") {
    if (!request.headers["mcp-session-id"]) return refused(response, 405, -32600, "no session");
    if (!own) return refused(response, 404, -32600, "no such session");
    if (request.method === "DELETE") {
      own.end();
      sessions.delete(request.headers["mcp-session-id"]);
      return response.writeHead(204).end();
    }
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" }).flushHeaders();
    own.listener = streamOf(response);
    return undefined;
  }
  let text = "";
  for await (const part of request) text += part;
  const message = JSON.parse(text);
  let behind = own;
  const isShared = message.params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
  if (isShared) behind = shared ??= new Behind();
  else if (message.method === "initialize") {
    behind = new Behind();
    const id = randomUUID();
    sessions.set(id, behind);
    response.setHeader("mcp-session-id", id);
  } else if (!behind) return refused(response, request.headers["mcp-session-id"] ? 404 : 400, -32600, "no such session", message.id);
  if (message.id === undefined || !message.method) {
    behind.send(message);
    return response.writeHead(202).end();
  }
  const id = behind.ask(message, streamOf(response, message.id), isShared);
  response.on("close", () => {
    if (behind.waiting.delete(id)) behind.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
  });
  return undefined;
}

createServer((request, response) => answered(request, response).catch((error) => refused(response, 400, -32700, error.message)))
  .listen(Number(port), "127.0.0.1", () => process.stdout.write("ready\n"));
