// The same calls, judged by the program and from JavaScript: each answer is the same, word for word.
import "./apart.mjs";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { CallError, Gate } from "@portcullis-gate/core";
import { calls, program } from "./corpus.mjs";

// How many calls are compared in a run of the tests; 0 compares all there are.
const most = Number(process.env.GATE_TEST_CALLS ?? 5000);
const all = calls();
const skip = program === undefined ? "left out: the program is not built" : all.length === 0 ? "left out: there is no corpus" : false;

test("program and package give the same answers", { skip }, () => {
  // Some of every file.
  const step = most === 0 ? 1 : Math.max(1, Math.floor(all.length / most));
  const some = all.filter((_, at) => at % step === 0);
  assert.ok(some.length > 300);
  const input = some.map((one) => `${JSON.stringify(one)}\n`).join("");
  const said = spawnSync(program, ["check", "--jsonl", "--no-record"], { input, encoding: "utf8", maxBuffer: 1 << 30, timeout: 900_000 });
  const answers = said.stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  assert.equal(answers.length, some.length, said.stderr);
  const gate = new Gate({ record: false });
  const guards = (answer) => (answer.findings ?? []).filter((one) => one.rule.startsWith("protection.gate.")).length;
  const order = ["allow", "ask", "deny"];
  const decisions = new Set();
  let apart = 0;
  some.forEach(({ tool, arguments: args, ...more }, at) => {
    let own;
    let answer = answers[at];
    try {
      own = gate.judgeSync(tool, args, more).toJSON();
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      own = { error: true };
      answer = { error: "error" in answer };
    }
    if (guards(own) !== guards(answer)) {
      // Each guards its own files, and the program lies elsewhere than this Node: that raises decisions, and does nothing else.
      const [more, less] = guards(own) > guards(answer) ? [own, answer] : [answer, own];
      assert.ok(order.indexOf(more.decision) >= order.indexOf(less.decision), JSON.stringify(some[at]));
      apart += 1;
      return;
    }
    assert.deepEqual(own, answer, JSON.stringify(some[at]));
    decisions.add(own.decision);
  });
  assert.ok(["allow", "ask", "deny"].every((decision) => decisions.has(decision)));
  assert.ok(apart <= some.length / 100, `${apart} apart`);
});
