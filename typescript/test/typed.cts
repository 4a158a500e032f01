
import { Gate, Terminal, guard, Denied, type Verdict, type Finding, type Approver } from "@portcullis-gate/core";
import { protect } from "@portcullis-gate/core/ai-sdk";
import { protect as agents } from "@portcullis-gate/core/openai-agents";
import { portcullis } from "@portcullis-gate/core/claude-agent-sdk";
import { protect as mastra } from "@portcullis-gate/core/mastra";

const approve: Approver = async (verdict) => ({ approves: verdict.risk === "low", by: "ops" });
const gate = new Gate({ project: ".", record: false, approve });
export async function all(): Promise<string> {
  const verdict: Verdict = await gate.session("s").judge("bash", { command: "ls" }, { cwd: "/w" });
  const findings: readonly Finding[] = verdict.findings;
  const [start, end]: readonly [number, number] = findings[0]!.span;
  // @ts-expect-error a verdict is frozen
  verdict.decision = "allow";
  // @ts-expect-error there is no such option
  new Gate({ projct: "." });
  // @ts-expect-error nobody makes a verdict but a gate
  new (verdict.constructor as typeof import("@portcullis-gate/core").Verdict)();
  const run = guard(async ({ command }: { command: string }) => command.length, gate, { tool: "bash", approve: new Terminal() });
  const length: number = await run({ command: "ls" });
  const plain: Promise<string> = guard((command: string) => command, gate, { tool: "bash", arguments: (command) => ({ command }) })("ls");
  const tools = guard({ bash: { execute: async (input: { command: string }) => input.command } }, gate);
  const shown: { a: number } = (await gate.outcome(verdict, { a: 1 })).shown;
  const { toolApproval } = protect(tools, gate, { secret: "s" });
  const { hooks, canUseTool } = portcullis(gate);
  const callback = canUseTool(async () => ({ behavior: "deny", message: "no" }));
  void [start, end, length, plain, shown, toolApproval, hooks, callback, agents, mastra];
  try {
    return await tools.bash.execute({ command: "ls" });
  } catch (error) {
    return error instanceof Denied ? error.verdict.why : "";
  }
}
