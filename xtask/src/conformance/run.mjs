// The conformance programs of the specification against their own server: alone, behind the gateway, and behind the proxy over standard input and output
// with a small bridge to HTTP on each side. `node run.mjs PROGRAM WORK SERVER`: the built program, a directory that `npm` filled, and the file of the server
// that comes with the programs' sources.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as send } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [, , program, work, serverFile] = process.argv;
const here = dirname(fileURLToPath(import.meta.url));
const place = mkdtempSync(join(tmpdir(), "conformance-"));
const started = [];
const ports = { server: 4711, stdio: 4712, relay: 4713, gateway: 4714 };
const server = `http://localhost:${ports.server}/mcp`;
const environment = { ...process.env, HOME: place, XDG_STATE_HOME: join(place, "state") };
delete environment.XDG_CONFIG_HOME;

/** Starts something, and waits until it says that it is there. */
function begin(command, words, ready, options = {}) {
  const child = spawn(command, words, { env: environment, stdio: ["ignore", "pipe", "pipe"], ...options });
  started.push(child);
  return new Promise((resolve, reject) => {
    let said = "";
    const heard = (part) => {
      said += part;
      if (said.includes(ready)) resolve({ child, said });
    };
    child.stdout.on("data", heard);
    child.stderr.on("data", heard);
    child.on("exit", (code) => reject(new Error(`${command} ${words.join(" ")} ended with ${code}: ${said}`)));
  });
}

/** Passes on to the gateway with a token of it: the programs send none. */
function relay(token) {
  const own = `localhost:${ports.relay}`;
  createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    if (headers.host === own) headers.host = `127.0.0.1:${ports.gateway}`;
    if (headers.origin === `http://${own}`) headers.origin = `http://127.0.0.1:${ports.gateway}`;
    const onward = send({ host: "127.0.0.1", port: ports.gateway, path: "/mcp/everything", method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  }).listen(ports.relay);
}

async function json(path, token, body) {
  const answer = await fetch(`http://127.0.0.1:${ports.gateway}${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Has a server show itself once in each era, and accepts what it shows, as a person at the gateway's page. */
async function accept(url, name, person) {
  const client = { name: "conformance", version: "1" };
  const base = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = (headers, message) => fetch(url, { method: "POST", headers: { ...base, ...headers }, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  for (let round = 0; round < 3; round += 1) {
    const met = await post({}, { id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: client } });
    const session = { "mcp-session-id": met.headers.get("mcp-session-id"), "mcp-protocol-version": "2025-11-25" };
    await met.text();
    await (await post(session, { method: "notifications/initialized" })).text();
    const lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
    for (const [at, method] of lists.entries()) await (await post(session, { id: 2 + at, method, params: {} })).text();
    const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": client, "io.modelcontextprotocol/clientCapabilities": {} };
    for (const [at, method] of ["server/discover", ...lists].entries()) {
      const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method };
      await (await post(headers, { id: 20 + at, method, params: { _meta: meta } })).text();
    }
    const { held } = await json(`/v1/servers/${name}`, person);
    const marks = held.map((one) => one.mark).filter(Boolean);
    if (!marks.length) return;
    await json(`/v1/servers/${name}/accept`, person, { marks });
  }
}

function tried(name, url, words) {
  const folder = join(place, "results");
  const all = ["server", "--url", url, ...words, "-o", folder];
  const bin = join(work, "node_modules/.bin/conformance");
  const ran = spawnSync(process.execPath, [bin, ...all], { env: environment, encoding: "utf8", timeout: 600_000, maxBuffer: 1 << 28 });
  const summary = ran.stdout.slice(ran.stdout.lastIndexOf("=== SUMMARY ==="));
  const total = /Total: (\d+) passed, (\d+) failed/.exec(summary);
  if (!total) throw new Error(`${name}: ${ran.stdout.slice(-2000)}${ran.stderr.slice(-2000)}`);
  console.log(`${name} (${words.join(" ")}): ${total[1]} checks pass, ${total[2]} fail`);
  for (const line of new Set(summary.match(/✗ .*: \d+ passed, \d+ failed/g))) console.log(`  ${line}`);
}

async function main() {
  mkdirSync(join(place, "state/portcullis"), { recursive: true, mode: 0o700 });
  const config = join(place, "config.toml");
  writeFileSync(config, `rules.allow = ["mcp__everything__*", "mcp__everything-stdio__*"]\n[mcp.servers.everything]\nurl = "${server}"\nelicitation = true\n`);
  await begin(process.execPath, [join(work, "node_modules/.bin/tsx"), serverFile], "running on", { env: { ...environment, PORT: String(ports.server) }, cwd: work });
  const state = join(place, "state/portcullis");
  const gateway = await begin(program, ["serve", "--listen", `127.0.0.1:${ports.gateway}`, "--config", config, "--state", state, "--json"], "token_file");
  const said = JSON.parse(gateway.said.split("\n")[0]);
  const tokens = { person: readFileSync(said.token_file, "utf8").trim(), agents: readFileSync(said.agents_token_file, "utf8").trim() };
  relay(tokens.agents);
  const bridge = join(here, "from-http.mjs");
  const proxied = [program, "mcp", "proxy", "--config", config, "--state", state, "--server", "everything-stdio", "--", process.execPath, join(here, "to-http.mjs"), server];
  await begin(process.execPath, [bridge, String(ports.stdio), "--", ...proxied], "ready");
  const through = { "behind the gateway": `http://localhost:${ports.relay}/mcp`, "behind the proxy": `http://127.0.0.1:${ports.stdio}/mcp` };
  await accept(through["behind the gateway"], "everything", tokens.person);
  await accept(through["behind the proxy"], "everything-stdio", tokens.person);
  for (const words of [["--spec-version", "2025-11-25"], ["--spec-version", "2026-07-28"], ["--requirements", "2026-07-28"]]) {
    tried("alone", server, words);
    for (const [name, url] of Object.entries(through)) tried(name, url, words);
  }
}

let code = 0;
try {
  await main();
} catch (error) {
  console.error(error);
  code = 1;
}
for (const child of started) child.kill();
if (!process.env.KEEP) rmSync(place, { recursive: true, force: true });
process.exit(code);
