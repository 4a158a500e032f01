"use strict";
// Vercel AI SDK: tools that are judged, and the approval of their calls.
//
//   const { protect } = require("@portcullis-gate/core/ai-sdk");
//   await generateText({ model, prompt, ...protect({ bash }, gate) });
//
// `toolApproval` says `approved`, `user-approval` or `denied` for what is allowed, asks or is denied. Right before a tool runs, what runs is
// judged once more. The messages that bring a person's yes come from a client: such a yes counts for the action that this process asked about,
// or, where `secret` is given, for the input that the SDK signed with it, which outlives a restart.

const { Denied, NotApproved } = require("./lib/errors.js");
const { Desk, words } = require("./lib/desk.js");
const { replaced, wrapped } = require("./lib/guard.js");

/** The tools, judged, with `toolApproval`: to be spread into the options of `generateText`, `streamText` or a `ToolLoopAgent`. */
function protect(tools, gate, { approve, secret } = {}) {
  const desk = new Desk(gate, "ai-sdk", approve);
  const used = new Set();
  for (const [name, tool] of Object.entries(tools)) {
    if (tool?.type === "provider" && tool.isProviderExecuted !== false && tool.execute === undefined) {
      throw new TypeError(`\`${name}\` runs at the model's provider, and cannot be judged here`);
    }
  }
  const own = async (name, input, options) => {
    const wanted = Object.hasOwn(tools, name) ? tools[name].needsApproval : undefined;
    return typeof wanted === "function" ? Boolean(await wanted(input, options)) : Boolean(wanted);
  };

  // Whether this process asked about the action of a call, or the SDK signed it.
  const isKnown = (id, verdict) => {
    const shown = desk.kept(id);
    return shown === verdict.action || (shown === undefined && secret !== undefined);
  };

  async function toolApproval({ toolCall, messages, toolsContext }) {
    const { toolName, toolCallId, input } = toolCall;
    const tool = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
    await desk.tool(toolName, tool?.description, tool?.inputSchema?.jsonSchema);
    // Whoever approves is asked where a tool runs; one that runs elsewhere is asked about here.
    const elsewhere = typeof tool?.execute !== "function";
    const verdict = elsewhere ? await desk.decide(toolName, input, { id: toolCallId }) : await desk.judge(toolName, input, { id: toolCallId });
    if (verdict.denied) return { type: "denied", reason: words(verdict) };
    if (verdict.asks && (elsewhere || desk.approve === undefined)) {
      // Messages that bring the question with them ask nothing anew: whether it was asked here is what counts.
      if (requestOf(toolCallId, messages) === undefined) desk.keep(toolCallId, verdict.action);
      else if (!isKnown(toolCallId, verdict)) return { type: "denied", reason: words(verdict) };
      return { type: "user-approval", reason: verdict.why };
    }
    let wanted = true;
    try {
      wanted = await own(toolName, input, { toolCallId, messages, context: toolsContext?.[toolName] });
    } catch {
      // What cannot be said is asked about.
    }
    return wanted ? { type: "user-approval" } : { type: "approved" };
  }

  function guarded(name, tool) {
    if (typeof tool.execute !== "function") return tool;
    const judged = async ([input, options]) => {
      const id = options?.toolCallId;
      const verdict = await desk.decide(name, input, { id });
      if (!verdict.asks) return verdict;
      const approval = approvalOf(id, options?.messages);
      const known = isKnown(id, verdict);
      desk.take(id);
      if (approval === undefined || used.has(approval) || !known) return verdict;
      used.add(approval);
      return desk.answered(verdict, true, verdict.action, "who answers for the program");
    };
    const way = {
      decide: judged,
      refused(verdict) {
        throw new (verdict.asks ? NotApproved : Denied)(verdict, words(verdict));
      },
      outcome: (verdict, result) => desk.outcome(verdict, result),
      failed: (verdict, error) => desk.outcome(verdict, error, { failed: true }),
    };
    return replaced(tool, { execute: wrapped(tool.execute.bind(tool), tool.execute, way) });
  }

  const judged = Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, guarded(name, tool)]));
  return { tools: judged, toolApproval, ...(secret === undefined ? {} : { experimental_toolApprovalSecret: secret }) };
}

const parts = (message) => (Array.isArray(message?.content) ? message.content : []);

/** The question about a call that messages bring with them. */
function requestOf(id, messages) {
  const said = (messages ?? []).filter((message) => message.role === "assistant").flatMap(parts);
  return said.findLast((part) => part.type === "tool-approval-request" && part.toolCallId === id && !part.isAutomatic);
}

/** The approval of a call that the last of the messages brings, where it is a yes. */
function approvalOf(id, messages) {
  const request = requestOf(id, messages);
  const last = messages?.at(-1);
  if (request === undefined || last?.role !== "tool") return undefined;
  const answer = parts(last).find((part) => part.type === "tool-approval-response" && part.approvalId === request.approvalId);
  return answer?.approved === true ? request.approvalId : undefined;
}

module.exports = { protect };
