// Makes the npm package of one platform out of what was built for it:
//
//   node packaging/npm/platform.mjs cli  linux-x64      target/release/portcullis                  FOLDER
//   node packaging/npm/platform.mjs core linux-x64-gnu  target/release/libportcullis_node.so       FOLDER
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = new URL("../../", import.meta.url);
const MANIFESTS = { cli: "packaging/npm/cli/package.json", core: "typescript/package.json" };

/** Writes the package, of the version of the one that takes it; gives its manifest. */
export function make(kind, platform, built, folder) {
  const { version, license, repository, engines } = JSON.parse(readFileSync(new URL(MANIFESTS[kind], root), "utf8"));
  const [os, cpu, libc] = platform.split("-");
  const file = kind === "core" ? "native.node" : os === "win32" ? "portcullis.exe" : "portcullis";
  // The program for glibc brings it along where it can, and is for musl too then; an addon is for the library of its Node alone.
  const library = libc === "gnu" ? "glibc" : libc;
  const manifest = {
    name: `@portcullis-gate/${kind}-${platform}`,
    version,
    description: `What @portcullis-gate/${kind} starts on ${platform}`,
    license,
    repository,
    engines,
    os: [os],
    cpu: [cpu],
    ...(library === undefined ? {} : { libc: [library] }),
    ...(kind === "core" ? { main: file } : {}),
    files: [file],
    preferUnplugged: true,
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(built, join(folder, file));
  if (kind === "cli") chmodSync(join(folder, file), 0o755);
  return manifest;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [kind, platform, built, folder] = process.argv.slice(2);
  if (!Object.hasOwn(MANIFESTS, kind) || folder === undefined) throw new Error("usage: platform.mjs cli|core PLATFORM BUILT FOLDER");
  console.log(make(kind, platform, built, folder).name);
}
