// Mastra, the real package with the AI SDK's mock model.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Gate } from "@portcullis-gate/core";
import { protect } from "@portcullis-gate/core/mastra";
import { PUSH, fresh } from "./apart.mjs";
import { agents, core, missing, storage, tools } from "./kit-mastra.mjs";
import { Play, bash, scenarios } from "./scenarios.mjs";
import { scripted } from "./scripted.mjs";

const skip = missing && `left out: ${missing}`;

async function drive(play, options) {
  const model = await scripted(play, "MockLanguageModelV3");
  const store = new storage.InMemoryStore();
  const made = () => {
    const agent = new agents.Agent({ id: "a", name: "a", instructions: "Go on.", model, tools: protect(tools(play), play.gate, options) });
    return new core.Mastra({ agents: { a: agent }, storage: store, logger: false }).getAgent("a");
  };
  const end = async (output) => {
    for await (const chunk of output.fullStream) {
      if (chunk.type === "tool-error") play.seen.push(String(chunk.payload.error?.message ?? chunk.payload.error));
    }
    return output.getFullOutput();
  };
  let agent = made();
  let output = play.stream ? await end(await agent.stream("Go on.", { maxSteps: 8 })) : await agent.generate("Go on.", { maxSteps: 8 });
  while (output.finishReason === "suspended" && play.answer !== undefined) {
    const { toolCallId, args } = output.suspendPayload;
    play.asked.push(args.command);
    if (play.restart) {
      play.restarted();
      agent = made();
    }
    const about = { runId: output.runId, toolCallId };
    output = play.answer ? await agent.approveToolCallGenerate(about) : await agent.declineToolCallGenerate(about);
  }
}

const lacks = { edited: "nothing of the framework's changes arguments on their way" };
scenarios("Mastra", (play) => drive(play), lacks, missing);

test("Mastra: whoever approves is asked in place of a suspended run", { skip }, async () => {
  const play = new Play([bash(PUSH)], new Gate({ project: fresh(), record: false }), { answer: true });
  await drive(play, { approve: play.approve });
  assert.deepEqual([play.ran, play.asked], [[PUSH], [PUSH]]);
});

test("Mastra: a tool that is run beside the agent does not get the agent's yes", { skip }, async () => {
  const play = new Play([], new Gate({ project: fresh(), record: false }));
  const { bash: tool } = protect(tools(play), play.gate);
  assert.equal(await tool.needsApprovalFn({ command: PUSH }, {}), true);
  await assert.rejects(tool.execute({ command: PUSH }, {}));
  assert.deepEqual(play.ran, []);
});

test("Mastra: what runs elsewhere is refused", { skip }, () => {
  assert.throws(() => protect({ search: { type: "provider-defined", id: "x.search" } }, new Gate({ project: fresh(), record: false })), TypeError);
});
