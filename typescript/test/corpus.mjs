// The project's own cases, and the program to compare with.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

export const root = process.env.GATE_TEST_ROOT ?? new URL("../../", import.meta.url).pathname;
/** The program that was built beside the addon, if it was. */
export const program = existsSync(process.env.GATE_TEST_PROGRAM ?? "") ? process.env.GATE_TEST_PROGRAM : undefined;
const folder = join(root, "corpus");
const LANGUAGES = new Set(["python", "javascript", "sql", "powershell"]);

function call(kind, text) {
  if (kind === "shell") return { tool: "bash", arguments: { command: text } };
  if (LANGUAGES.has(kind)) return { tool: kind, arguments: { code: text } };
  if (kind === "url") return { tool: "fetch", arguments: { url: text } };
  if (kind === "file") return { tool: "write_file", arguments: { ...text } };
  if (kind === "tool") return { tool: text.tool, arguments: text.arguments };
  return undefined;
}

/** Both sides of each case as a call. */
export function calls() {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl")).sort();
  const cases = files.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line)));
  const made = cases.flatMap((one) => [call(one.kind, one.attack), call(one.kind, one.innocent)]);
  return made.filter((one) => one !== undefined).map((one) => ({ ...one, cwd: "/workspace/project", home: "/home/dev" }));
}
