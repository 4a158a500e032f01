// Builds the addon from the sources that this folder lies in, and puts it beside index.js.
import { spawnSync } from "node:child_process";
import { copyFileSync, renameSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);
const library = { darwin: "libportcullis_node.dylib", win32: "portcullis_node.dll" }[process.platform] ?? "libportcullis_node.so";
const words = ["build", "--release", "--locked", "--package", "portcullis-node", "--message-format", "json-render-diagnostics"];
const cargo = spawnSync("cargo", words, { cwd: fileURLToPath(root), stdio: ["ignore", "pipe", "inherit"], encoding: "utf8", maxBuffer: 1 << 28 });
if (cargo.error !== undefined) throw new Error("cargo is needed: install Rust 1.95 (https://rustup.rs)", { cause: cargo.error });
if (cargo.status !== 0) process.exit(cargo.status ?? 1);

const made = cargo.stdout.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
const files = made.flatMap((message) => message.filenames ?? []);
const built = files.find((file) => file.endsWith(library));
if (built === undefined) throw new Error(`cargo built no ${library}`);
// In one step: a process that has the old one loaded keeps it whole.
const place = fileURLToPath(new URL("../native.node", import.meta.url));
copyFileSync(built, `${place}.new`);
renameSync(`${place}.new`, place);
console.log(`built ${place}`);
