// The same calls, judged by the program and from JavaScript: each answer is the same, word for word.
import { fresh } from "./apart.mjs";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, linkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { calls, program } from "./corpus.mjs";

// How many calls are compared in a run of the tests; 0 compares all there are.
const most = Number(process.env.GATE_TEST_CALLS ?? 600);
const all = calls();
const skip = program === undefined ? "left out: the program is not built" : all.length === 0 ? "left out: there is no corpus" : false;

test("program and package give the same answers", { skip }, () => {
  // Some of every file.
  const step = most === 0 ? 1 : Math.max(1, Math.floor(all.length / most));
  const some = all.filter((_, at) => at % step === 0);
  assert.ok(some.length > 300);
  // Each guards its own files, so that they judge alike where these lie together.
  const own = fresh("own");
  link(program, join(own, "portcullis"));
  link(realpathSync(process.execPath), join(own, "node"));
  const sources = new URL("..", import.meta.url);
  for (const file of ["package.json", "index.js", "index.mjs", "lib", "native.node", "test/judging.mjs"]) {
    cpSync(new URL(file, sources), join(own, file), { recursive: true });
  }
  const input = some.map((one) => `${JSON.stringify(one)}\n`).join("");
  const said = answers(join(own, "portcullis"), ["check", "--jsonl", "--no-record"], input);
  const here = answers(join(own, "node"), [join(own, "test/judging.mjs")], input);
  assert.deepEqual([said.length, here.length], [some.length, some.length]);
  some.forEach((call, at) => {
    const expected = "error" in said[at] ? { error: true } : said[at];
    assert.deepEqual(here[at], expected, JSON.stringify(call));
  });
  assert.ok(["allow", "ask", "deny"].every((decision) => said.some((answer) => answer.decision === decision)));
});

function link(file, place) {
  try {
    linkSync(file, place);
  } catch {
    copyFileSync(file, place);
  }
}

function answers(file, words, input) {
  const said = spawnSync(file, words, { input, encoding: "utf8", maxBuffer: 1 << 30, timeout: 900_000 });
  assert.ok([0, 1, 2, 3].includes(said.status), said.stderr);
  return said.stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}
