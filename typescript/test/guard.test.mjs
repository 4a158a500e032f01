// A function, and sets of tools, behind a gate.
import "./apart.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Denied, Gate, NotApproved, guard } from "@portcullis-gate/core";
import { FETCH, PLANTED, TOKEN, fresh } from "./apart.mjs";

const made = () => new Gate({ project: fresh(), record: false });

/** Keeps what it was given, and gives what it was told to. */
function shell(result = "done") {
  const ran = [];
  async function bash({ command }) {
    ran.push(command);
    if (result instanceof Error) throw result;
    return result;
  }
  return { ran, bash };
}

test("what is allowed runs once and what is denied never", async () => {
  const { ran, bash } = shell();
  const run = guard(bash, made());
  assert.equal(run.name, "bash");
  assert.equal(await run({ command: "ls" }), "done");
  await assert.rejects(run({ command: "rm -rf ~" }), (error) => error instanceof Denied && error.verdict.findings.length > 0);
  const text = await guard(bash, made(), { denied: "text" })({ command: "rm -rf ~" });
  assert.match(text, /^portcullis: denied: /);
  assert.deepEqual(ran, ["ls"]);
});

test("what asks runs after a yes and not after a no", async () => {
  const { ran, bash } = shell();
  const shown = [];
  const approve = ({ arguments: { command } }) => {
    shown.push(command);
    return { approves: !command.includes("main"), by: "ops" };
  };
  const run = guard(bash, made(), { approve });
  assert.equal(await run({ command: "git push -f origin topic" }), "done");
  await assert.rejects(run({ command: "git push -f origin main" }), Denied);
  await assert.rejects(guard(bash, made())({ command: "git push -f" }), NotApproved);
  assert.deepEqual(ran, ["git push -f origin topic"]);
  assert.deepEqual(shown, ["git push -f origin topic", "git push -f origin main"]);
});

test("arguments that change after they were judged do not run", async () => {
  const ran = [];
  const args = { command: "git push -f", flags: ["-f"] };
  const approve = async (verdict) => {
    args.command = "rm -rf ~";
    args.flags.push("--mirror");
    verdict.arguments.flags.push("--all");
    return true;
  };
  await guard(({ command, flags }) => ran.push([command, ...flags]), made(), { tool: "bash", approve })(args);
  assert.deepEqual(ran, [["git push -f", "-f"]]);
});

test("what a prototype brings is not run, since it was not judged", async () => {
  const { ran, bash } = shell();
  await assert.rejects(guard(bash, made())(Object.create({ command: "rm -rf ~" })), Denied);
  const twice = JSON.parse('{ "command": "ls", "__proto__": { "command": "rm -rf ~" } }');
  await guard(bash, made())(twice).catch(() => {});
  assert.ok(!ran.includes("rm -rf ~"));
});

test("a gate that breaks runs nothing", async () => {
  for (const broken of [{ judge: () => { throw new Error("broken"); } }, { judge: async () => undefined }, { decide: async () => { throw new Error("broken"); } }]) {
    const { ran, bash } = shell();
    const gate = Object.assign(made(), broken);
    await assert.rejects(guard(bash, gate)({ command: "ls" }));
    assert.deepEqual(ran, []);
  }
});

test("results lose their secrets and taint the session", async () => {
  const gate = made();
  const session = gate.session();
  const shown = await guard(shell(PLANTED + TOKEN).bash, session)({ command: "cat build.log" });
  assert.ok(!shown.includes(TOKEN) && shown.includes("ignore all previous"));
  const rules = async (where) => (await where.judge("bash", { command: FETCH })).findings.map((finding) => finding.rule);
  const fresh = await rules(gate);
  assert.ok((await rules(session)).some((rule) => !fresh.includes(rule)));
});

test("what a function throws is thrown and taints too", async () => {
  const gate = made();
  const session = gate.session();
  await assert.rejects(guard(shell(new Error(PLANTED)).bash, session)({ command: "cat build.log" }), /ignore all/);
  const rules = async (where) => (await where.judge("bash", { command: FETCH })).findings.map((finding) => finding.rule);
  const fresh = await rules(gate);
  assert.ok((await rules(session)).some((rule) => !fresh.includes(rule)));
});

test("calls side by side are judged each", async () => {
  const { ran, bash } = shell();
  const run = guard(bash, made());
  const said = await Promise.allSettled(["ls", "rm -rf ~", "pwd"].map((command) => run({ command })));
  assert.deepEqual(said.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  assert.deepEqual(ran, ["ls", "pwd"]);
});

test("what is called with something else than one object is described by whoever guards", async () => {
  const { ran, bash } = shell();
  const plain = (command) => bash({ command });
  await assert.rejects(guard(plain, made(), { tool: "bash" })("ls"), Denied);
  const run = guard(plain, made(), { tool: "bash", arguments: (command) => ({ command }) });
  assert.equal(await run("ls"), "done");
  await assert.rejects(run("rm -rf ~"), Denied);
  assert.deepEqual(ran, ["ls"]);
  assert.throws(() => guard(() => {}, made()), TypeError);
  assert.throws(() => guard(bash, {}), TypeError);
  assert.throws(() => guard(bash, made(), { aproove: () => true }), TypeError);
});

test("sets of tools are guarded, by their names", async () => {
  const { ran, bash } = shell();
  class Tool {
    #run = bash;
    name = "bash";
    description = "Runs a command.";
    execute(args) {
      return this.#run(args);
    }
  }
  const ways = [
    guard({ bash: { description: "Runs a command.", execute: bash } }, made()).bash,
    guard([{ name: "bash", execute: bash }], made())[0],
    guard({ id: "bash", execute: bash }, made()),
    guard(new Tool(), made()),
  ];
  for (const tool of ways) {
    assert.equal(await tool.execute({ command: "ls" }, { toolCallId: "1" }), "done");
    await assert.rejects(tool.execute({ command: "rm -rf ~" }), Denied);
  }
  assert.ok(ways[3] instanceof Tool && ways[3].description === "Runs a command.");
  assert.deepEqual(ran, ["ls", "ls", "ls", "ls"]);
  assert.throws(() => guard({ search: { type: "hosted" } }, made()), TypeError);
});

test("what comes in parts is judged before the first and looked through to the last", async () => {
  const gate = made();
  const session = gate.session();
  let started = false;
  async function* bash() {
    started = true;
    yield "a";
    yield TOKEN;
    yield PLANTED;
  }
  const run = guard(bash, session);
  const parts = [];
  for await (const part of run({ command: "cat build.log" })) parts.push(part);
  assert.equal(parts[0], "a");
  assert.ok(!parts.join().includes(TOKEN) && parts.length === 3);
  const rules = async (where) => (await where.judge("bash", { command: FETCH })).findings.map((finding) => finding.rule);
  const fresh = await rules(gate);
  assert.ok((await rules(session)).some((rule) => !fresh.includes(rule)));
  started = false;
  await assert.rejects(run({ command: "rm -rf ~" }).next(), Denied);
  assert.equal(started, false);
  const unannounced = guard(() => bash(), made(), { tool: "bash" });
  assert.equal(await unannounced({ command: "cat build.log" }), PLANTED);
});
