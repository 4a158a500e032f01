"use strict";
// OpenAI Agents SDK: an agent whose tools are judged.
//
//   const { protect } = require("@portcullis-gate/core/openai-agents");
//   const agent = protect(new Agent({ name: "…", tools: [bash] }), gate);
//
// What asks interrupts the run, as `needsApproval` does: `state.approve(item)` or `state.reject(item)`, and run on with the state. Right before a
// tool runs, what runs is judged once more, so that a yes which the SDK remembers for another call (`alwaysApprove`) counts for nothing. With
// `approve` given, that is asked instead. Tools that are no functions (hosted tools, shells, MCP servers of the agent) run elsewhere than here,
// and are refused by `protect`; handoffs are agents of their own, to be protected each.

const { Desk, words } = require("./lib/desk.js");
const { Denied } = require("./lib/errors.js");
const { encode } = require("./lib/plain.js");
const { failed } = require("./lib/verdict.js");

/** A copy of an agent whose function tools are judged. Throws `TypeError` where it has others. */
function protect(agent, gate, { approve } = {}) {
  if (agent.mcpServers?.length) throw new TypeError("the tools of MCP servers are judged by `portcullis mcp wrap`, not here");
  const desk = new Desk(gate, "openai-agents", approve);
  return agent.clone({ tools: agent.tools.map((tool) => protectedTool(tool, desk)) });
}

/** A copy of a tool that is judged. Use one gate or session for all tools of an agent. */
function protectTool(tool, gate, { approve } = {}) {
  return protectedTool(tool, new Desk(gate, "openai-agents", approve));
}

function protectedTool(tool, desk) {
  if (tool?.type !== "function" || typeof tool.invoke !== "function") {
    throw new TypeError(`\`${tool?.name ?? tool?.type}\` runs elsewhere than here, and cannot be judged`);
  }
  const { name, invoke: inner, needsApproval: wanted } = tool;

  async function needsApproval(context, args, id) {
    await desk.tool(name, tool.description, tool.parameters);
    const own = typeof wanted === "function" ? Boolean(await wanted.call(tool, context, args, id)) : Boolean(wanted);
    if (desk.approve !== undefined) return own;
    const verdict = await desk.judge(name, args, { id });
    desk.keep(id, verdict.action);
    return own || verdict.asks;
  }

  async function invoke(context, text, details) {
    const id = details?.toolCall?.callId;
    let args;
    try {
      args = JSON.parse(text || "{}");
    } catch (error) {
      return words(failed(error, name, desk.session));
    }
    let verdict = await desk.decide(name, args, { id });
    if (verdict.asks && approved(desk, context, id, verdict)) {
      verdict = await desk.answered(verdict, true, verdict.action, "the run's approver");
    }
    if (!verdict.allowed) return words(verdict);
    let result;
    try {
      // What was judged, and no other reading of the same text.
      result = await inner.call(tool, context, JSON.stringify(args), watched(details, args, name, desk));
    } catch (error) {
      await desk.outcome(verdict, error, { failed: true });
      throw error;
    }
    return desk.outcome(verdict, result);
  }

  return { ...tool, invoke, needsApproval };
}

/** Whether the run's person agreed to this call, if they were asked about it. */
function approved(desk, context, id, verdict) {
  const shown = desk.take(id);
  if (id === undefined || (shown !== undefined && shown !== verdict.action)) return false;
  let records;
  try {
    records = Object.values(context.toJSON().approvals ?? {});
  } catch {
    return false;
  }
  // Their memory of a yes by the name of a tool says `true`; a yes to this call has its id. After a restart the state of the run
  // holds the arguments that they saw, and these are what was judged.
  const named = records.some((record) => Array.isArray(record?.approved) && record.approved.includes(id));
  return named || (shown !== undefined && records.some((record) => record?.approved === true));
}

/** What the SDK gives a tool, where the schema of the tool makes other arguments of those that were judged (a default, a transform): these are
 * judged before the tool has them. */
function watched(details, args, name, desk) {
  const symbols = typeof details === "object" && details !== null ? Object.getOwnPropertySymbols(details) : [];
  const told = symbols.find((symbol) => symbol.description === "openai.agents.functionToolParsedInputCallback");
  const inner = told === undefined ? undefined : details[told];
  if (typeof inner !== "function") return details;
  details[told] = (parsed) => {
    inner(parsed);
    if (encode(parsed) === encode(args)) return;
    const verdict = desk.gate.judgeSync(name, parsed, { cwd: desk.directory, session: desk.session });
    if (!verdict.allowed) throw new Denied(verdict, words(verdict));
  };
  return details;
}

module.exports = { protect, protectTool };
