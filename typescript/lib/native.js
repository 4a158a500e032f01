"use strict";
// The addon: the one that was built beside this file, else the one of the package for this platform. It is never looked for by a
// variable of the environment, which a project could set.

const PLATFORMS = ["linux-x64-gnu", "linux-arm64-gnu", "linux-x64-musl", "linux-arm64-musl", "darwin-x64", "darwin-arm64", "win32-x64"];

/** The name of the package that has the addon for a platform. */
function platform() {
  const name = `${process.platform}-${process.arch}`;
  if (process.platform !== "linux") return name;
  const { header } = process.report?.getReport?.() ?? {};
  return `${name}-${header === undefined || header.glibcVersionRuntime ? "gnu" : "musl"}`;
}

function load() {
  const missing = (error) => error.code === "MODULE_NOT_FOUND" || error.code === "ERR_MODULE_NOT_FOUND";
  try {
    return require("../native.node");
  } catch (error) {
    if (!missing(error)) throw error;
  }
  const name = platform();
  try {
    if (PLATFORMS.includes(name)) return require(`@portcullis-gate/core-${name}`);
  } catch (error) {
    if (!missing(error)) throw error;
  }
  throw new Error(`@portcullis-gate/core is not built for ${name}: run \`npm run build\` in its folder, which takes Rust 1.95`);
}

module.exports = load();
