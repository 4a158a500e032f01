// A model that follows a script, as the AI SDK has it for tests; Mastra takes the same.
import { framework } from "./apart.mjs";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** A model that makes the calls of each turn, and then says goodbye. `seen` gets each result that it was shown. */
export async function scripted(play, Kind = "MockLanguageModelV4") {
  const mock = await framework("ai/test");
  const { simulateReadableStream } = await framework("ai");
  const model = new mock[Kind]({
    doGenerate: async ({ prompt }) => {
      const { content, finishReason } = turn(play, prompt);
      return { content, finishReason, usage, warnings: [] };
    },
    doStream: async ({ prompt }) => {
      const { content, finishReason } = turn(play, prompt);
      const said = content.flatMap((part) =>
        part.type === "text" ? [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: part.text }, { type: "text-end", id: "t" }] : [part],
      );
      const chunks = [{ type: "stream-start", warnings: [] }, ...said, { type: "finish", finishReason, usage }];
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });
  return model;
}

function turn(play, prompt) {
  const results = prompt.flatMap(({ role, content }) => (role === "tool" ? content : [])).filter(({ type }) => type === "tool-result");
  play.seen = results.map(({ output }) => JSON.stringify(output));
  // Where the script goes on is what the conversation has, so that it goes on after a restart too.
  const made = new Set(prompt.flatMap(({ role, content }) => (role === "assistant" ? content : [])).filter(({ type }) => type === "tool-call").map(({ toolCallId }) => toolCallId.split("-")[1]));
  const calls = play.turns[made.size];
  if (calls === undefined) return { content: [{ type: "text", text: "bye" }], finishReason: { unified: "stop", raw: "stop" } };
  const content = calls.map(([toolName, args], at) => ({ type: "tool-call", toolCallId: `call-${made.size}-${at}`, toolName, input: JSON.stringify(args) }));
  return { content, finishReason: { unified: "tool-calls", raw: "tool_calls" } };
}
