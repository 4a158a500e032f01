#!/usr/bin/env node
"use strict";
// Starts the program of the package for this platform, and ends as it ends. Nothing is fetched, and no variable of the environment says what is started.

const { spawnSync } = require("node:child_process");

const name = `${process.platform}-${process.arch}`;
const isMusl = process.platform === "linux" && !process.report?.getReport?.().header?.glibcVersionRuntime;
const file = process.platform === "win32" ? "portcullis.exe" : "portcullis";
// A program of the other C library runs where it needs none: the first that is installed is taken.
const packages = (isMusl ? [`${name}-musl`, name] : [name, `${name}-musl`]).map((suffix) => `@portcullis-gate/cli-${suffix}/${file}`);

function find() {
  for (const path of packages) {
    try {
      return require.resolve(path);
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  return undefined;
}

const program = find();
if (program === undefined) {
  console.error(`portcullis: there is no program for ${name}: install without \`--omit=optional\`, or build it (docs/install.md)`);
  // A caller that asks for a verdict and gets none must not take it for a yes: 70 is the program's own word for an internal error.
  process.exit(70);
}
const ended = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (ended.error !== undefined) {
  console.error(`portcullis: ${program} cannot be started: ${ended.error.message}`);
  process.exit(70);
}
if (ended.signal !== null) process.kill(process.pid, ended.signal);
process.exit(ended.status ?? 70);
