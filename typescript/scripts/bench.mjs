// How long a judged call takes, with the record off: `npm run build`, then `node scripts/bench.mjs`. Each call is judged often, and the median is told.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { Gate } from "@portcullis-gate/core";

const root = new URL("../../", import.meta.url).pathname;
const gate = new Gate({ project: process.argv[2] ?? root, record: false });
const CALLS = { ls: { command: "ls" }, "git status": { command: "git status" }, "rm -rf ~": { command: "rm -rf ~" } };

/** Microseconds, sorted. */
function times(run, rounds) {
  const took = [];
  for (let round = 0; round < rounds; round += 1) {
    const from = process.hrtime.bigint();
    run();
    took.push(Number(process.hrtime.bigint() - from) / 1000);
  }
  return took.sort((one, other) => one - other);
}

const at = (sorted, share) => sorted[Math.floor(sorted.length * share)].toFixed(1);
const tell = (name, sorted) => console.log(`${name.padEnd(40)} p10 ${at(sorted, 0.1).padStart(8)}  p50 ${at(sorted, 0.5).padStart(8)}  p99 ${at(sorted, 0.99).padStart(8)} µs`);

for (const [name, args] of Object.entries(CALLS)) {
  times(() => gate.judgeSync("bash", args), 2000);
  tell(name, times(() => gate.judgeSync("bash", args), 20_000));
}
const day = `${root}/xtask/src/bench/agents.txt`;
if (existsSync(day)) {
  // What coding agents run day by day, in turns.
  const took = new Map(readFileSync(day, "utf8").split("\n").filter(Boolean).map((command) => [command, []]));
  for (let round = 0; round < 101; round += 1) {
    for (const [command, all] of took) all.push(times(() => gate.judgeSync("bash", { command }), 1)[0]);
  }
  const sorted = [...took.values()].map((all) => all.slice(50).sort((one, other) => one - other));
  const each = (pick) => sorted.map(pick).sort((one, other) => one - other);
  tell(`a day of an agent (${took.size}), in the middle`, each((all) => all[all.length >> 1]));
  tell(`a day of an agent (${took.size}), at best`, each((all) => all[0]));
}
const folder = `${root}/corpus`;
if (existsSync(folder)) {
  const lines = readdirSync(folder).filter((name) => name.endsWith(".jsonl")).flatMap((name) => readFileSync(`${folder}/${name}`, "utf8").split("\n").filter(Boolean));
  const commands = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === "shell").flatMap(({ attack, innocent }) => [attack, innocent]).filter((_, one) => one % 10 === 0);
  const best = commands.map((command) => times(() => gate.judgeSync("bash", { command }), 5)[0]);
  tell(`a tenth of the corpus (${commands.length})`, best.sort((one, other) => one - other));
}
let waited = 0;
const from = process.hrtime.bigint();
for (; waited < 2000; waited += 1) await gate.judge("bash", CALLS.ls);
console.log(`ls on the pool, one after the other: ${(Number(process.hrtime.bigint() - from) / 1000 / waited).toFixed(1)} µs each`);
