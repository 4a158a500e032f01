// What the tests of the Claude Agent SDK share with those of its documentation.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { framework, fresh } from "./apart.mjs";

export const sdk = await framework("@anthropic-ai/claude-agent-sdk");
export const missing = sdk === undefined ? "`@anthropic-ai/claude-agent-sdk` is not installed" : undefined;
const names = { bash: "Bash", send_money: "mcp__bank__send_money" };

/** The options for a program that follows the script, and what reads afterwards what it ran. */
export function program(play) {
  const folder = fresh("claude");
  const [script, ran] = [join(folder, "script"), join(folder, "ran")];
  const turns = play.turns.map((turn) => turn.map(([name, args]) => [names[name], args]));
  writeFileSync(script, JSON.stringify({ turns, result: play.result, ran }));
  const options = {
    pathToClaudeCodeExecutable: fileURLToPath(new URL("fake-claude.mjs", import.meta.url)),
    executable: process.execPath,
    cwd: folder,
    env: { ...process.env, FAKE_CLAUDE: script },
  };
  const collect = () => {
    const lines = existsSync(ran) ? readFileSync(ran, "utf8").trim().split("\n") : [];
    play.ran = lines.map((line) => JSON.parse(line)[1]).map((input) => input.command ?? JSON.stringify(input));
  };
  return { options, collect };
}
