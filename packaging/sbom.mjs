// What is built into the program, as a CycloneDX list: every package of the graph below `portcullis` for one platform, with its version, licence and the
// checksum in Cargo.lock.
//
//   node packaging/sbom.mjs x86_64-unknown-linux-gnu > portcullis.cdx.json
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = new URL("../", import.meta.url);

/** The list for a platform of rustc. */
export function sbom(target, crate = "portcullis") {
  const words = ["metadata", "--format-version", "1", "--locked", "--filter-platform", target];
  const said = spawnSync("cargo", words, { cwd: fileURLToPath(root), encoding: "utf8", maxBuffer: 1 << 28 });
  if (said.status !== 0) throw new Error(said.stderr);
  const { packages, resolve } = JSON.parse(said.stdout);
  const byId = new Map(packages.map((one) => [one.id, one]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const sums = new Map(
    [...readFileSync(new URL("Cargo.lock", root), "utf8").matchAll(/name = "(.*)"\nversion = "(.*)"\nsource = .*\nchecksum = "(.*)"/g)].map(([, name, version, sum]) => [
      `${name} ${version}`,
      sum,
    ]),
  );
  const top = packages.find((one) => one.name === crate && one.source === null);
  const needed = (id) =>
    nodes
      .get(id)
      .deps.filter((dep) => dep.dep_kinds.some(({ kind }) => kind !== "dev"))
      .map((dep) => dep.pkg);
  const seen = new Set([top.id]);
  for (const id of seen) for (const dep of needed(id)) seen.add(dep);
  const ref = (id) => `pkg:cargo/${byId.get(id).name}@${byId.get(id).version}`;
  const component = (id) => {
    const { name, version, license, source } = byId.get(id);
    const sum = sums.get(`${name} ${version}`);
    return {
      type: id === top.id ? "application" : "library",
      "bom-ref": ref(id),
      name,
      version,
      purl: ref(id),
      ...(license ? { licenses: [{ expression: license.replaceAll("/", " OR ") }] } : {}),
      ...(source !== null && sum !== undefined ? { hashes: [{ alg: "SHA-256", content: sum }] } : {}),
    };
  };
  const ids = [...seen].sort((one, other) => (ref(one) < ref(other) ? -1 : 1));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: component(top.id), properties: [{ name: "cargo:target", value: target }] },
    components: ids.filter((id) => id !== top.id).map(component),
    dependencies: ids.map((id) => ({ ref: ref(id), dependsOn: [...new Set(needed(id).map(ref))].sort() })),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [target, crate] = process.argv.slice(2);
  if (target === undefined) throw new Error("usage: sbom.mjs TARGET [CRATE]");
  console.log(JSON.stringify(sbom(target, crate), null, 2));
}
