// Every block of docs/typescript.md and of the package's README, run with the real packages and scripted models.
import "./apart.mjs";
import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as portcullis from "@portcullis-gate/core";
import { PUSH, framework, fresh } from "./apart.mjs";
import { root } from "./corpus.mjs";
import { Play, bash } from "./scenarios.mjs";
import { scripted } from "./scripted.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The blocks of JavaScript in a page, each with the heading that it stands under. */
function blocks(page) {
  const found = [];
  let heading;
  for (const section of readFileSync(join(root, page), "utf8").split(/^(?=#+ )/m)) {
    heading = section.match(/^#+ (.*)$/m)?.[1];
    for (const [, code] of section.matchAll(/^```js\n([^]*?)^```$/gm)) found.push({ heading, code });
  }
  return found;
}

let count = 0;
/** Runs a block as a module of its own, with what it is given; gives what it printed and what it names in `want`. */
async function run(code, given, want = []) {
  const [imports, rest] = [code.match(/^import .*$/gm) ?? [], code.replaceAll(/^import .*$/gm, "")];
  const file = join(here, `block-${process.pid}-${(count += 1)}.mjs`);
  const body = `${imports.join("\n")}\nexport default async ({ ${Object.keys(given).join(", ")} }) => {\n${rest}\nreturn { ${want.join(", ")} };\n};\n`;
  writeFileSync(file, body);
  const { default: block } = await import(file);
  const printed = [];
  const { log } = console;
  console.log = (...words) => printed.push(words.join(" "));
  try {
    return { printed, ...(await block(given)) };
  } finally {
    console.log = log;
  }
}

function play() {
  const made = new Play([bash("ls"), bash(PUSH)], new portcullis.Gate({ project: fresh(), record: false }));
  return { made, session: made.gate.session() };
}

const zod = (await framework("zod"))?.z;
const kits = {
  ai: await framework("ai"),
  openai: await framework("@openai/agents"),
  claude: await framework("@anthropic-ai/claude-agent-sdk"),
  mastra: await framework("@mastra/core/agent"),
};

const RUNS = {
  "Any function, any tools": async (code) => {
    const { printed } = await run(code.replace('project: "."', `project: ${JSON.stringify(fresh())}, record: false`), {});
    assert.equal(printed[0], "ran ls");
    assert.match(printed[1], /^portcullis: denied: /);
  },
  "Vercel AI SDK": async (code) => {
    const { made, session } = play();
    const given = { session, model: await scripted(made), inputSchema: zod.object({ command: zod.string() }), execute: (input) => made.bash(input) };
    const { printed } = await run(code, given);
    assert.deepEqual(made.ran, ["ls"]);
    assert.equal(printed.length, 1);
  },
  "OpenAI Agents": async (code) => {
    const { made, session } = play();
    const { model, tools } = await import("./kit-openai-agents.mjs");
    await run(code, { session, model: model(made), bash: tools(made)[0] });
    assert.deepEqual(made.ran, ["ls", PUSH]);
  },
  "Claude Agent SDK": async (code) => {
    const { made } = play();
    const { program } = await import("./kit-claude-agent-sdk.mjs");
    const { options, collect } = program(made);
    const { printed } = await run(code, { gate: made.gate, options });
    collect();
    assert.deepEqual([made.ran, printed], [["ls"], ["bye"]]);
  },
  Mastra: async (code) => {
    const { made, session } = play();
    const { tools } = await import("./kit-mastra.mjs");
    const { Mastra } = await framework("@mastra/core/mastra");
    const { InMemoryStore } = await framework("@mastra/core/storage");
    const mastra = ({ agent }) => new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false }).getAgent("agent");
    await run(code, { session, model: await scripted(made, "MockLanguageModelV3"), bash: tools(made).bash, mastra });
    assert.deepEqual(made.ran, ["ls", PUSH]);
  },
};
const NEEDS = { "Vercel AI SDK": "ai", "OpenAI Agents": "openai", "Claude Agent SDK": "claude", Mastra: "mastra" };

for (const { heading, code } of blocks("docs/typescript.md")) {
  const needs = NEEDS[heading];
  const missing = needs !== undefined && (kits[needs] === undefined || kits.ai === undefined);
  test(`docs/typescript.md: ${heading}`, { skip: missing && "left out: its framework is not installed" }, () => RUNS[heading](code));
}

test("docs/typescript.md has a block for each adapter", () => {
  const headings = blocks("docs/typescript.md").map(({ heading }) => heading);
  assert.deepEqual(headings.sort(), Object.keys(RUNS).sort());
  assert.equal(readdirSync(join(here, "..")).filter((name) => name.endsWith(".mjs")).length, headings.length);
});

test("the package's README", async () => {
  const [first, second] = blocks("typescript/README.md").map(({ code }) => code);
  const project = JSON.stringify(fresh());
  const lines = first.replace('project: ".", approve: new Terminal()', `project: ${project}, record: false, approve: () => false`);
  const wanted = lines.replaceAll(/^await bash\(\{ command: "(git|rm)[^\n]*$/gm, (line) => `assert.push(await ${line.slice(6).replace(/;.*/, "")}.catch((error) => error));`);
  const errors = [];
  const { gate } = await run(wanted, { assert: errors }, ["gate"]);
  assert.deepEqual(errors.map((error) => error instanceof portcullis.Denied), [true, true]);
  assert.match(errors[1].message, /this deletes a whole home directory/);
  const { verdict, outcome } = await run(second, { gate }, ["verdict", "outcome"]);
  assert.equal(verdict.decision, "ask");
  assert.equal(outcome.shown, "text of the result");
});
