// OpenAI Agents SDK, the real package with its scripted model.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Gate } from "@portcullis-gate/core";
import { protect, protectTool } from "@portcullis-gate/core/openai-agents";
import { PUSH, fresh } from "./apart.mjs";
import { missing, model, sdk, tools, zod } from "./kit-openai-agents.mjs";
import { Play, bash, scenarios } from "./scenarios.mjs";

const skip = missing && `left out: ${missing}`;

async function drive(play) {
  const spoken = model(play);
  const made = () => protect(new sdk.Agent({ name: "a", model: spoken, tools: tools(play) }), play.gate);
  const step = async (agent, given) => {
    const result = await sdk.run(agent, given, { stream: play.stream });
    if (play.stream) await result.completed;
    return result;
  };
  let agent = made();
  let result = await step(agent, "Go on.");
  while (result.interruptions.length > 0 && play.answer !== undefined) {
    let { state } = result;
    play.asked.push(...result.interruptions.map((item) => JSON.parse(item.rawItem.arguments).command));
    if (play.restart) {
      const text = state.toString();
      play.restarted();
      agent = made();
      state = await sdk.RunState.fromString(agent, text);
    }
    for (const item of state.getInterruptions()) play.answer ? state.approve(item) : state.reject(item);
    result = await step(agent, state);
  }
  play.seen.push(...result.newItems.filter((item) => item.type === "tool_call_output_item").map((item) => String(item.output)));
}

scenarios("OpenAI Agents", drive, { edited: "nothing of the framework's changes arguments on their way; the next test does it by hand" }, missing);

const made = () => new Gate({ project: fresh(), record: false });

test("OpenAI Agents: what runs is what is judged last", { skip }, async () => {
  const play = new Play([bash("ls")], made());
  const agent = protect(new sdk.Agent({ name: "a", model: model(play), tools: tools(play) }), play.gate);
  const [tool] = agent.tools;
  agent.tools[0] = { ...tool, invoke: (context, text, details) => tool.invoke(context, JSON.stringify({ command: "rm -rf ~" }), details) };
  await sdk.run(agent, "Go on.");
  assert.deepEqual(play.ran, []);
});

test("OpenAI Agents: what a schema makes of the arguments is judged too", { skip }, async () => {
  for (const [parameters, ran] of [
    [zod.object({ command: zod.string().overwrite(() => "rm -rf ~") }), []],
    [zod.object({ command: zod.string().overwrite(() => "pwd") }), ["pwd"]],
  ]) {
    const play = new Play([bash("ls")], made());
    const tool = sdk.tool({ name: "bash", description: "Runs a command.", parameters, execute: (input) => play.bash(input) });
    await sdk.run(new sdk.Agent({ name: "a", model: model(play), tools: [protectTool(tool, play.gate)] }), "Go on.");
    assert.deepEqual(play.ran, ran);
  }
});

test("OpenAI Agents: a yes that is remembered by name is none", { skip }, async () => {
  const play = new Play([bash(PUSH), bash("git push --force origin release")], made());
  const agent = protect(new sdk.Agent({ name: "a", model: model(play), tools: tools(play) }), play.gate);
  const { state } = await sdk.run(agent, "Go on.");
  for (const item of state.getInterruptions()) state.approve(item, { alwaysApprove: true });
  await sdk.run(agent, state);
  assert.deepEqual(play.ran, [PUSH]);
});

test("OpenAI Agents: whoever approves is asked in place of an interruption", { skip }, async () => {
  const play = new Play([bash(PUSH)], made(), { answer: true });
  const agent = protect(new sdk.Agent({ name: "a", model: model(play), tools: tools(play) }), play.gate, { approve: play.approve });
  const { interruptions } = await sdk.run(agent, "Go on.");
  assert.deepEqual([interruptions.length, play.ran, play.asked], [0, [PUSH], [PUSH]]);
});

test("OpenAI Agents: tools that run elsewhere are refused", { skip }, () => {
  assert.throws(() => protect(new sdk.Agent({ name: "a", tools: [sdk.webSearchTool()] }), made()), TypeError);
});
