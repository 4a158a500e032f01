// The packages of the platforms: made, laid out as npm lays them out, and started.
import "./apart.mjs";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { fresh } from "./apart.mjs";
import { program, root } from "./corpus.mjs";

const { make } = await import(pathToFileURL(join(root, "packaging/npm/platform.mjs")));
const here = fileURLToPath(new URL("..", import.meta.url));
const platform = `${process.platform}-${process.arch}`;
const read = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));
const skip = program === undefined ? "left out: the program is not built" : process.platform !== "linux" && "left out: it was written for Linux";

function cli() {
  const modules = join(fresh(), "node_modules", "@portcullis-gate");
  cpSync(join(root, "packaging/npm/cli"), join(modules, "cli"), { recursive: true });
  return { modules, start: (words, input) => spawnSync(process.execPath, [join(modules, "cli/bin/portcullis.js"), ...words], { encoding: "utf8", input }) };
}

test("the package of the program starts that of its platform, and ends as it ends", { skip }, () => {
  const { modules, start } = cli();
  const { name, os, cpu } = make("cli", platform, program, join(modules, `cli-${platform}`));
  assert.equal(name, `@portcullis-gate/cli-${platform}`);
  assert.deepEqual([os, cpu], [[process.platform], [process.arch]]);
  for (const [command, status] of [["ls", 0], ["rm -rf ~", 2], ["git push -f", 3]]) {
    assert.equal(start(["check", "--no-record", command]).status, status, command);
  }
  const { stdout } = start(["check", "--jsonl", "--no-record"], '{"tool":"bash","arguments":{"command":"ls"}}\n');
  assert.equal(JSON.parse(stdout).decision, "allow");
});

test("without the package of its platform nothing is started, and it is no yes", { skip }, () => {
  const said = cli().start(["check", "ls"]);
  assert.equal(said.status, 70);
  assert.match(said.stderr, /no program for/);
});

test("the addon is taken from the package of its platform", { skip }, () => {
  const modules = join(fresh(), "node_modules", "@portcullis-gate");
  const core = join(modules, "core");
  mkdirSync(join(core, "lib"), { recursive: true });
  for (const file of ["package.json", "index.js"]) copyFileSync(join(here, file), join(core, file));
  cpSync(join(here, "lib"), join(core, "lib"), { recursive: true });
  const code = 'const { Gate } = require("@portcullis-gate/core"); console.log(new Gate({ record: false }).judgeSync("bash", { command: "ls" }).decision)';
  const start = () => spawnSync(process.execPath, ["-e", code], { cwd: join(modules, "../.."), encoding: "utf8" });
  assert.match(start().stderr, /is not built for .*npm run build/);
  const library = process.report.getReport().header.glibcVersionRuntime ? "gnu" : "musl";
  make("core", `${platform}-${library}`, join(here, "native.node"), join(modules, `core-${platform}-${library}`));
  assert.equal(start().stdout, "allow\n");
});

test("every package is of one version, and for the platforms that there are", () => {
  const [core, program] = ["typescript/package.json", "packaging/npm/cli/package.json"].map(read);
  const [, workspace] = readFileSync(join(root, "Cargo.toml"), "utf8").match(/^version = "(.*)"$/m);
  assert.deepEqual([core.version, program.version], [workspace, workspace]);
  assert.deepEqual(new Set(Object.values(program.optionalDependencies)), new Set([workspace]));
  const workflow = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
  for (const name of Object.keys(program.optionalDependencies)) assert.ok(workflow.includes(`cli: ${name.slice("@portcullis-gate/cli-".length)}\n`), name);
});
