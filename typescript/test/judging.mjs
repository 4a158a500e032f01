// Judges the calls of its input, a line each, and prints what `portcullis check --jsonl` would: for a process of its own (see same.test.mjs).
import { readFileSync } from "node:fs";
import { CallError, Gate } from "@portcullis-gate/core";

const gate = new Gate({ record: false });
const lines = readFileSync(0, "utf8").split("\n").filter(Boolean);
const answers = lines.map((line) => {
  const { tool, arguments: args, ...more } = JSON.parse(line);
  try {
    return JSON.stringify(gate.judgeSync(tool, args, more));
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return '{"error":true}';
  }
});
process.stdout.write(answers.map((answer) => `${answer}\n`).join(""));
