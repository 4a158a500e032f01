// The conformance programs of the specification against their own server: alone, behind the gateway, and behind the proxy over standard input and output
// with a small bridge to HTTP on each side. `node run.mjs PROGRAM WORK SERVER`: the built program, a directory that `npm` filled, and the file of the server
// that comes with the programs' sources.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as send } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [, , program, work, serverFile] = process.argv;
const here = dirname(fileURLToPath(import.meta.url));
const place = mkdtempSync(join(tmpdir(), "conformance-"));
const started = [];
const ports = { server: 4711, relay: 4713, gateway: 4714 };
// The server lists other tools in each era: behind the gate it is a server of its own in each.
const eras = [
  { version: "2025-11-25", name: "old", port: 4715, tries: [["--spec-version", "2025-11-25"]] },
  { version: "2026-07-28", name: "new", port: 4716, tries: [["--spec-version", "2026-07-28"], ["--requirements", "2026-07-28"]] },
];
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
    const onward = send({ host: "127.0.0.1", port: ports.gateway, path: request.url, method: request.method, headers }, (answer) => {
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

/** Has a server show itself, and accepts what it shows, as a person at the gateway's page. */
async function accept(url, name, version, person) {
  const clientInfo = { name: "conformance", version: "1" };
  const base = { "content-type": "application/json", accept: "application/json, text/event-stream", "mcp-protocol-version": version };
  const post = (headers, message) => fetch(url, { method: "POST", headers: { ...base, ...headers }, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  const lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
  for (let round = 0; round < 3; round += 1) {
    if (version === "2025-11-25") {
      const met = await post({}, { id: 1, method: "initialize", params: { protocolVersion: version, capabilities: {}, clientInfo } });
      const session = { "mcp-session-id": met.headers.get("mcp-session-id") };
      await met.text();
      await (await post(session, { method: "notifications/initialized" })).text();
      for (const [at, method] of lists.entries()) await (await post(session, { id: 2 + at, method, params: {} })).text();
    } else {
      const about = "io.modelcontextprotocol/";
      const _meta = { [`${about}protocolVersion`]: version, [`${about}clientInfo`]: clientInfo, [`${about}clientCapabilities`]: {} };
      for (const [at, method] of ["server/discover", ...lists].entries()) {
        await (await post({ "mcp-method": method }, { id: 20 + at, method, params: { _meta } })).text();
      }
    }
    const { held } = await json(`/v1/servers/${name}`, person);
    const marks = held.map((one) => one.mark).filter(Boolean);
    if (!marks.length) return;
    await json(`/v1/servers/${name}/accept`, person, { marks });
  }
}

/** Whether each check of each scenario passed, by its name and how often it came. */
function checks(folder) {
  const all = new Map();
  for (const path of readdirSync(folder, { recursive: true }).filter((path) => path.endsWith("checks.json")).sort()) {
    const scenario = dirname(path).replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    const met = new Map();
    for (const { id, status } of JSON.parse(readFileSync(join(folder, path), "utf8"))) {
      const often = (met.get(id) ?? 0) + 1;
      met.set(id, often);
      all.set(`${scenario}: ${id}${often > 1 ? ` (${often})` : ""}`, status);
    }
  }
  return all;
}

let alone = new Map();
let run = 0;

async function tried(name, url, words) {
  const folder = join(place, `results-${(run += 1)}`);
  const all = ["server", "--url", url, ...words, "-o", folder];
  const bin = join(work, "node_modules/.bin/conformance");
  // The relay to the gateway goes on meanwhile.
  const child = spawn(process.execPath, [bin, ...all], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => { said += part; });
  await new Promise((resolve) => child.on("close", resolve));
  const summary = said.slice(said.lastIndexOf("=== SUMMARY ==="));
  const total = /Total: (\d+) passed, (\d+) failed/.exec(summary);
  if (!total) throw new Error(`${name}: ${said.slice(-4000)}`);
  console.log(`${name} (${words.join(" ")}): ${total[1]} checks pass, ${total[2]} fail`);
  for (const line of new Set(summary.match(/✗ .*: \d+ passed, \d+ failed/g))) console.log(`  ${line}`);
  const found = checks(folder);
  if (name === "alone") alone = found;
  for (const [check, status] of alone) {
    if (status === "SUCCESS" && found.has(check) && found.get(check) !== "SUCCESS") console.log(`  passes alone, and not here: ${check} (${found.get(check)})`);
    if (status === "SUCCESS" && !found.has(check)) console.log(`  passes alone, and was not tried here: ${check}`);
  }
}

async function main() {
  mkdirSync(join(place, "state/portcullis"), { recursive: true, mode: 0o700 });
  const config = join(place, "config.toml");
  const behind = eras.map(({ name }) => `[mcp.servers.${name}]\nurl = "${server}"\nelicitation = true\nsampling = true\n`);
  writeFileSync(config, `rules.allow = [${eras.map(({ name }) => `"mcp__${name}__*", "mcp__${name}-stdio__*"`)}]\n${behind.join("")}`);
  await begin(process.execPath, [join(work, "node_modules/.bin/tsx"), serverFile], "running on", { env: { ...environment, PORT: String(ports.server) }, cwd: work });
  const state = join(place, "state/portcullis");
  const gateway = await begin(program, ["serve", "--listen", `127.0.0.1:${ports.gateway}`, "--config", config, "--state", state, "--json"], "token_file");
  const said = JSON.parse(gateway.said.split("\n")[0]);
  const tokens = { person: readFileSync(said.token_file, "utf8").trim(), agents: readFileSync(said.agents_token_file, "utf8").trim() };
  relay(tokens.agents);
  for (const { version, name, port, tries } of eras) {
    const proxied = [program, "mcp", "proxy", "--config", config, "--state", state, "--server", `${name}-stdio`, "--sampling", "--", process.execPath, join(here, "to-http.mjs"), server];
    await begin(process.execPath, [join(here, "from-http.mjs"), String(port), "--", ...proxied], "ready");
    const gate = `http://localhost:${ports.relay}/mcp/${name}`;
    const bridge = `http://127.0.0.1:${port}/mcp`;
    await accept(gate, name, version, tokens.person);
    await accept(bridge, `${name}-stdio`, version, tokens.person);
    for (const words of tries) {
      await tried("alone", server, words);
      await tried("behind the gateway", gate, words);
      await tried("behind the proxy", bridge, words);
    }
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
