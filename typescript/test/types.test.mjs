// The declarations, as TypeScript reads them for `import` and for `require`.
import "./apart.mjs";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as portcullis from "@portcullis-gate/core";

const here = fileURLToPath(new URL(".", import.meta.url));
const compiler = (() => {
  try {
    const manifest = createRequire(import.meta.url).resolve("typescript/package.json");
    const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
    return join(dirname(manifest), bin.tsc);
  } catch {
    return undefined;
  }
})();
const skip = compiler === undefined || !existsSync(compiler) ? "left out: `typescript` is not installed" : false;

const CODE = `
import { Gate, Terminal, guard, Denied, type Verdict, type Finding, type Approver } from "@portcullis-gate/core";
import { protect } from "@portcullis-gate/core/ai-sdk";
import { protect as agents } from "@portcullis-gate/core/openai-agents";
import { portcullis } from "@portcullis-gate/core/claude-agent-sdk";
import { protect as mastra } from "@portcullis-gate/core/mastra";

const approve: Approver = async (verdict) => ({ approves: verdict.risk === "low", by: "ops" });
const gate = new Gate({ project: ".", record: false, approve });
export async function all(): Promise<string> {
  const verdict: Verdict = await gate.session("s").judge("bash", { command: "ls" }, { cwd: "/w" });
  const findings: readonly Finding[] = verdict.findings;
  const [start, end]: readonly [number, number] = findings[0]!.span;
  // @ts-expect-error a verdict is frozen
  verdict.decision = "allow";
  // @ts-expect-error there is no such option
  new Gate({ projct: "." });
  // @ts-expect-error nobody makes a verdict but a gate
  new (verdict.constructor as typeof import("@portcullis-gate/core").Verdict)();
  const run = guard(async ({ command }: { command: string }) => command.length, gate, { tool: "bash", approve: new Terminal() });
  const length: number = await run({ command: "ls" });
  const plain: Promise<string> = guard((command: string) => command, gate, { tool: "bash", arguments: (command) => ({ command }) })("ls");
  const tools = guard({ bash: { execute: async (input: { command: string }) => input.command } }, gate);
  const shown: { a: number } = (await gate.outcome(verdict, { a: 1 })).shown;
  const { toolApproval } = protect(tools, gate, { secret: "s" });
  const { hooks, canUseTool } = portcullis(gate);
  const callback = canUseTool(async () => ({ behavior: "deny", message: "no" }));
  void [start, end, length, plain, shown, toolApproval, hooks, callback, agents, mastra];
  try {
    return await tools.bash.execute({ command: "ls" });
  } catch (error) {
    return error instanceof Denied ? error.verdict.why : "";
  }
}
`;

for (const kind of ["mts", "cts"]) {
  test(`the declarations hold for a file of ${kind}`, { skip }, () => {
    const file = join(here, `typed.${kind}`);
    writeFileSync(file, CODE);
    const words = ["--noEmit", "--strict", "--module", "node20", "--moduleResolution", "node16", "--target", "es2022", "--skipLibCheck", "false", "--types", "node"];
    const said = spawnSync(process.execPath, [compiler, ...words, file], { cwd: here, encoding: "utf8", timeout: 300_000 });
    assert.equal(said.status, 0, said.stdout + said.stderr);
  });
}

test("what is declared is there, and what is there is declared", () => {
  const text = readFileSync(new URL("../index.d.ts", import.meta.url), "utf8");
  const declared = [...text.matchAll(/^export (?:class|function|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual([...new Set(declared)].sort(), Object.keys(portcullis).filter((name) => name !== "default").sort());
  const members = (name) => [...text.match(new RegExp(`^export class ${name}.*?^}`, "ms"))[0].matchAll(/^ {2}(?:get )?(\w+)(?:<\w+>)?\(/gm)].map(([, member]) => member);
  for (const name of ["Gate", "Session", "Verdict"]) {
    const real = Object.getOwnPropertyNames(portcullis[name].prototype);
    assert.deepEqual([...new Set(["constructor", ...members(name)])].sort(), real.sort(), name);
  }
});
