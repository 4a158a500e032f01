// Builds the page that judges what is typed, one file that needs no server: target/playground.html.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const words = ["build", "--release", "--locked", "--target", "wasm32-unknown-unknown", "--package", "portcullis-playground"];
const cargo = spawnSync("cargo", words, { cwd: fileURLToPath(root), stdio: "inherit" });
if (cargo.error !== undefined || cargo.status !== 0) {
  console.error("help: `rustup target add wasm32-unknown-unknown`");
  process.exit(cargo.status ?? 1);
}
const built = readFileSync(new URL("target/wasm32-unknown-unknown/release/portcullis_playground.wasm", root));
// The page is written only with a module that judges.
const { exports: gate } = new WebAssembly.Instance(new WebAssembly.Module(built), {});
for (const [command, decision] of Object.entries({ ls: "allow", "git push -f": "ask", "rm -rf ~": "deny" })) {
  const call = JSON.stringify({ tool: "bash", arguments: { command } });
  for (const byte of Buffer.from(call)) gate.portcullis_put(byte);
  const bytes = Uint8Array.from({ length: gate.portcullis_judge() }, (_, at) => gate.portcullis_get(at));
  const said = JSON.parse(Buffer.from(bytes));
  if (said.decision !== decision) throw new Error(`\`${command}\` is ${said.decision ?? said.error}, and should be ${decision}`);
}
const page = readFileSync(new URL("docs/playground.html", root), "utf8");
const place = "MODULE GOES HERE";
if (page.split(place).length !== 2) throw new Error("docs/playground.html has no one place for the module");
writeFileSync(new URL("target/playground.html", root), page.replace(place, built.toString("base64")));
console.log(`wrote target/playground.html, with a module of ${(built.length / 1e6).toFixed(1)} MB`);
