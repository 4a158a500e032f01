"use strict";
// Mastra: tools that are judged.
//
//   const { protect } = require("@portcullis-gate/core/mastra");
//   const agent = new Agent({ id: "…", model, tools: protect({ bash }, gate) });
//
// What asks suspends the run, as `requireApproval` does: `agent.approveToolCall({ runId, toolCallId })` or `declineToolCall`. Mastra asks with a boolean
// alone, so what is denied is refused where it would run, right before which everything is judged once more. With `approve` given, that is
// asked instead.

const { Desk, words } = require("./lib/desk.js");
const { Denied, NotApproved } = require("./lib/errors.js");
const { replaced, wrapped } = require("./lib/guard.js");

/** The tools, judged: an object of them by name. */
function protect(tools, gate, { approve } = {}) {
  const desk = new Desk(gate, "mastra", approve);
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, protectedTool(name, tool, desk)]));
}

function protectedTool(name, tool, desk) {
  if (typeof tool?.execute !== "function") throw new TypeError(`\`${name}\` has no \`execute\`: it runs elsewhere than here, and cannot be judged`);
  const wanted = tool.needsApprovalFn ?? tool.requireApproval;

  async function needsApproval(args, context) {
    const own = typeof wanted === "function" ? Boolean(await wanted.call(tool, args, context)) : Boolean(wanted);
    if (desk.approve !== undefined) return own;
    await desk.tool(name, tool.description, schemaOf(tool));
    const verdict = await desk.judge(name, args);
    if (verdict.asks) desk.keep(verdict.action, (desk.kept(verdict.action) ?? 0) + 1);
    return own || verdict.asks;
  }

  const way = {
    async decide([args, context]) {
      const id = context?.agent?.toolCallId;
      const verdict = await desk.decide(name, args, { id });
      if (!verdict.asks || id === undefined) return verdict;
      // A call that was asked about comes here after the yes alone, and counts once.
      const asked = desk.take(verdict.action) ?? 0;
      if (asked > 1) desk.keep(verdict.action, asked - 1);
      return asked > 0 ? desk.answered(verdict, true, verdict.action, "who answers for the program") : verdict;
    },
    refused(verdict) {
      throw new (verdict.asks ? NotApproved : Denied)(verdict, words(verdict));
    },
    outcome: (verdict, result) => desk.outcome(verdict, result),
    failed: (verdict, error) => desk.outcome(verdict, error, { failed: true }),
  };
  const execute = wrapped(tool.execute.bind(tool), tool.execute, way);
  return replaced(tool, { execute, requireApproval: true, needsApprovalFn: needsApproval });
}

function schemaOf(tool) {
  try {
    return tool.inputSchema?.["~standard"]?.jsonSchema?.input?.({ target: "draft-07" });
  } catch {
    return undefined;
  }
}

module.exports = { protect };
