"use strict";
// Claude Agent SDK: hooks that judge each tool call.
//
//   const { portcullis } = require("@portcullis-gate/core/claude-agent-sdk");
//   const { hooks, canUseTool } = portcullis(gate);
//   query({ prompt, options: { hooks, canUseTool: canUseTool(askMyPerson) } });
//
// The hooks block where they fail (`onFailure: "block"`); a Claude Code that is too old for that refuses to start with them. What asks goes to
// `canUseTool`, or to Claude Code's own question. With `approve` given, that is asked inside the hook instead.

const { Desk, words } = require("./lib/desk.js");
const { failed } = require("./lib/verdict.js");

// How many seconds a hook may take, which is how long an approver may.
const PATIENCE = 3600;

/** Hooks, and what `canUseTool` must do beside them. */
function portcullis(gate, { approve } = {}) {
  const desk = new Desk(gate, "claude-agent-sdk", approve);
  const session = (given) => desk.within(given.session_id ? String(given.session_id) : undefined);
  const one = (callback) => [{ hooks: [callback], timeout: PATIENCE, onFailure: "block" }];

  async function before(given, id) {
    let verdict;
    try {
      id = given.tool_use_id ?? id;
      verdict = await desk.decide(given.tool_name, given.tool_input, { session: session(given), id });
    } catch (error) {
      verdict = failed(error, "", undefined);
    }
    desk.keep(id, verdict);
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: verdict.allowed ? "allow" : verdict.asks ? "ask" : "deny",
        permissionDecisionReason: verdict.allowed ? verdict.why : words(verdict),
      },
    };
  }

  async function after(given, id) {
    id = given.tool_use_id ?? id;
    const verdict = desk.take(id) ?? (await desk.judge(given.tool_name, given.tool_input, { session: session(given), id }));
    const shown = await desk.outcome(verdict, given.tool_response);
    if (shown === given.tool_response) return {};
    return { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: shown } };
  }

  async function broke(given, id) {
    const verdict = desk.take(given.tool_use_id ?? id);
    if (verdict !== undefined) await desk.outcome(verdict, String(given.error ?? ""), { failed: true });
    return {};
  }

  async function prompt(given) {
    await desk.prompt(String(given.prompt ?? ""), session(given));
    return {};
  }

  /** A permission callback around one's own: arguments that it changes are judged before they run. */
  function canUseTool(ask) {
    return async (tool, input, context) => {
      const said = await ask(tool, input, context);
      if (said?.behavior !== "allow") return said;
      const id = context?.toolUseID;
      const runs = said.updatedInput ?? input;
      const asked = desk.kept(id);
      let verdict = await desk.judge(tool, runs, { session: asked?.session ?? desk.session, id });
      if (verdict.asks) verdict = await desk.answered(verdict, true, verdict.action, "who answers for the program");
      if (!verdict.allowed) return { behavior: "deny", message: words(verdict) };
      desk.keep(id, verdict);
      // Rules that a person gives with a yes would let later calls past their question; the record has none of that.
      return { behavior: "allow", updatedInput: runs };
    };
  }

  const hooks = { UserPromptSubmit: one(prompt), PreToolUse: one(before), PostToolUse: one(after), PostToolUseFailure: one(broke) };
  return { hooks, canUseTool };
}

module.exports = { portcullis };
