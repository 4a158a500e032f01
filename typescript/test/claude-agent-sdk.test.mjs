// Claude Agent SDK, the real package in front of a program that speaks as Claude Code does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Gate } from "@portcullis-gate/core";
import { portcullis } from "@portcullis-gate/core/claude-agent-sdk";
import { PUSH, fresh } from "./apart.mjs";
import { missing, program, sdk } from "./kit-claude-agent-sdk.mjs";
import { Play, bash, scenarios } from "./scenarios.mjs";

const skip = missing && `left out: ${missing}`;

async function drive(play, updatedInput) {
  const { options, collect } = program(play);
  const { hooks, canUseTool } = portcullis(play.gate);
  const ask = async (tool, input) => {
    play.asked.push(input.command ?? JSON.stringify(input));
    return play.answer ? { behavior: "allow", updatedInput } : { behavior: "deny", message: "no" };
  };
  for await (const message of sdk.query({ prompt: "Go on.", options: { ...options, hooks, canUseTool: canUseTool(ask) } })) {
    if (message.type !== "user" || !Array.isArray(message.message.content)) continue;
    play.seen.push(...message.message.content.filter(({ type }) => type === "tool_result").map(({ content }) => String(content)));
  }
  collect();
}

const lacks = {
  edited: "Claude Code changes arguments between hook and tool by `canUseTool` alone; the next test does",
  restart: "a question lives as long as the process of Claude Code",
  stream: "all of it is a stream",
};
scenarios("Claude Agent SDK", (play) => drive(play), lacks, missing);

test("Claude Agent SDK: what a person changes is judged", { skip }, async () => {
  for (const [command, ran] of [["rm -rf ~", []], ["git push --force origin topic", ["git push --force origin topic"]]]) {
    const play = new Play([bash(PUSH)], new Gate({ project: fresh(), record: false }), { answer: true });
    await drive(play, { command });
    assert.deepEqual(play.ran, ran);
  }
});

test("Claude Agent SDK: every hook blocks where it fails", { skip }, () => {
  const { hooks } = portcullis(new Gate({ project: fresh(), record: false }));
  assert.deepEqual(new Set(Object.values(hooks).flat().map((one) => one.onFailure)), new Set(["block"]));
});
