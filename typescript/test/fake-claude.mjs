// Stands in for the Claude Code program: speaks its protocol over standard input and output, follows a script, and runs nothing. What it would have run
// is a line in a file. Read from the environment: `FAKE_CLAUDE`, a file with the script.
import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

if (process.argv.includes("--version") || process.argv.includes("-v")) {
  console.log("9.9.9 (Claude Code)");
  process.exit();
}

const script = JSON.parse(readFileSync(process.env.FAKE_CLAUDE, "utf8"));
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const hooks = {};
let count = 0;

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function receive() {
  const { value, done } = await lines.next();
  if (done) process.exit();
  return JSON.parse(value);
}

function control(message) {
  if (message.type !== "control_request") return;
  for (const [event, matchers] of Object.entries(message.request.hooks ?? {})) {
    hooks[event] = matchers.filter((one) => one.onFailure === "block").flatMap((one) => one.hookCallbackIds);
  }
  const response = { commands: [], models: [], hook_on_failure_supported: true, hooks_applied: true };
  send({ type: "control_response", response: { subtype: "success", request_id: message.request_id, response } });
}

async function ask(request) {
  count += 1;
  send({ type: "control_request", request_id: `r${count}`, request });
  for (;;) {
    const message = await receive();
    if (message.type === "control_response") return message.response;
    control(message);
  }
}

async function hook(event, given) {
  const input = { session_id: "s", transcript_path: "", cwd: process.cwd(), hook_event_name: event, ...given };
  const outputs = [];
  for (const id of hooks[event] ?? []) {
    const said = await ask({ subtype: "hook_callback", callback_id: id, input, tool_use_id: given.tool_use_id });
    if (said.subtype !== "success") return [{ permissionDecision: "deny", permissionDecisionReason: said.error }];
    outputs.push(said.response.hookSpecificOutput ?? {});
  }
  return outputs;
}

async function run(at, name, args) {
  const use = { tool_name: name, tool_input: args, tool_use_id: `toolu_${at}` };
  const [said = {}] = await hook("PreToolUse", use);
  let { permissionDecision: decision, permissionDecisionReason: why } = said;
  if (decision === "ask") {
    const { response = {} } = await ask({ subtype: "can_use_tool", tool_name: name, input: args, tool_use_id: use.tool_use_id });
    decision = response.behavior === "allow" ? "allow" : "deny";
    why = response.message ?? why;
    use.tool_input = response.updatedInput ?? args;
  }
  if (decision !== "allow") return why ?? "denied";
  appendFileSync(script.ran, `${JSON.stringify([name, use.tool_input])}\n`);
  let result = { stdout: script.result, stderr: "", interrupted: false };
  for (const after of await hook("PostToolUse", { tool_response: result, ...use })) result = after.updatedToolOutput ?? result;
  return result.stdout;
}

const head = { session_id: "s", parent_tool_use_id: null };
const assistant = (content) => send({ type: "assistant", ...head, message: { id: "m", role: "assistant", model: "fake", content } });

for (;;) {
  const message = await receive();
  if (message.type !== "user") {
    control(message);
    continue;
  }
  await hook("UserPromptSubmit", { prompt: JSON.stringify(message.message.content) });
  let at = 0;
  for (const [name, args] of script.turns.flat()) {
    at += 1;
    assistant([{ type: "tool_use", id: `toolu_${at}`, name, input: args }]);
    const content = [{ type: "tool_result", tool_use_id: `toolu_${at}`, content: await run(at, name, args) }];
    send({ type: "user", ...head, message: { role: "user", content } });
  }
  assistant([{ type: "text", text: "bye" }]);
  send({ type: "result", subtype: "success", duration_ms: 1, duration_api_ms: 1, is_error: false, num_turns: at, session_id: "s", result: "bye" });
}
