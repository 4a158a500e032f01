// The twelve things that hold in front of every framework. A framework's test gives a `drive` that runs a scripted model with the real package, and
// each scenario says what must come of it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Gate } from "@portcullis-gate/core";
import { FETCH, PLANTED, PUSH, TOKEN, fresh } from "./apart.mjs";

export const bash = (command) => ["bash", { command }];

/** What a scenario wants of a drive, and what happened: what ran, what a person was shown, and what the model was. */
export class Play {
  ran = [];
  asked = [];
  seen = [];

  /** `answer`: what a person says to what asks; nobody is there without. `result`: what the tools give. `restart`: everything is made anew between a
   * question and its answer. `edited`: what `ls` is rewritten to on its way to the tool, by something of the framework's. */
  constructor(turns, gate, { answer, result = "done", stream = false, restart = false, edited, state } = {}) {
    Object.assign(this, { turns: turns.map((turn) => (Array.isArray(turn[0]) ? turn : [turn])), gate, answer, result, stream, restart, edited, state });
  }

  bash({ command }) {
    this.ran.push(command);
    return this.result;
  }

  sendMoney({ to, amount }) {
    this.ran.push(`${amount} to ${to}`);
    return this.result;
  }

  /** What a new process would have: another gate, over the same record. */
  restarted() {
    this.gate = new Gate({ project: this.gate.project, record: this.state });
  }

  /** Who is asked where the framework asks nobody. */
  approve = (verdict) => {
    this.asked.push(String(verdict.arguments.command ?? JSON.stringify(verdict.arguments)));
    return { approves: this.answer === true, by: "ops" };
  };
}

/** Registers the scenarios. `lacks`: what the framework has not, with the reason. */
export function scenarios(framework, drive, lacks = {}, missing = undefined) {
  const skip = (what) => (missing ? `left out: ${missing}` : Object.hasOwn(lacks, what) ? lacks[what] : false);
  const scenario = (name, what, run) =>
    test(`${framework}: ${name}`, { skip: skip(what) }, async () => {
      const state = join(fresh(), "state");
      const gate = new Gate({ project: fresh(), record: state });
      await run(gate, async (turns, options) => {
        const play = new Play(turns, gate, { state, ...options });
        await drive(play);
        return play;
      });
    });
  const shown = (log, text) => log.seen.some((seen) => seen.includes(text));

  scenario("what is allowed runs once", "", async (gate, play) => {
    const log = await play([bash("ls")]);
    assert.deepEqual(log.ran, ["ls"]);
    assert.ok(shown(log, "done"), String(log.seen));
  });

  scenario("what is denied never runs", "", async (gate, play) => {
    const log = await play([bash("rm -rf ~")], { answer: true });
    assert.deepEqual([log.ran, log.asked], [[], []]);
    assert.ok(shown(log, "home directory"), String(log.seen));
  });

  scenario("a yes runs exactly what was shown", "", async (gate, play) => {
    const log = await play([bash(PUSH)], { answer: true });
    assert.deepEqual([log.ran, log.asked], [[PUSH], [PUSH]]);
  });

  scenario("a no runs nothing", "", async (gate, play) => {
    const log = await play([bash(PUSH)], { answer: false });
    assert.deepEqual([log.ran, log.asked], [[], [PUSH]]);
  });

  scenario("edited arguments are judged", "edited", async (gate, play) => {
    const log = await play([bash("ls")], { edited: "rm -rf ~" });
    assert.deepEqual(log.ran, []);
    assert.ok(shown(log, "home directory"), String(log.seen));
  });

  scenario("a question outlives a restart", "restart", async (gate, play) => {
    const log = await play([bash(PUSH)], { answer: true, restart: true });
    assert.deepEqual(log.ran, [PUSH]);
  });

  scenario("an error inside the gate runs nothing", "", async (gate, play) => {
    gate.judge = () => {
      throw new Error("the engine is gone");
    };
    let log;
    try {
      log = await play([bash("ls")], { answer: true });
    } catch (error) {
      // A framework may end the run.
      assert.match(String(error), /not judged|engine is gone/);
      return;
    }
    assert.deepEqual(log.ran, []);
    assert.ok(shown(log, "not judged"), String(log.seen));
  });

  scenario("calls of one turn are judged each", "parallel", async (gate, play) => {
    const log = await play([[bash("ls"), bash("rm -rf ~"), bash("pwd")]]);
    assert.deepEqual(log.ran.sort(), ["ls", "pwd"]);
  });

  scenario("a stream is no way around", "stream", async (gate, play) => {
    const log = await play([bash("ls"), bash("rm -rf ~")], { stream: true });
    assert.deepEqual(log.ran, ["ls"]);
  });

  scenario("a secret in a result does not reach the model", "", async (gate, play) => {
    const log = await play([bash("cat build.log")], { result: `token ${TOKEN}` });
    assert.deepEqual(log.ran, ["cat build.log"]);
    assert.ok(!shown(log, TOKEN) && shown(log, "[REDACTED:"), String(log.seen));
  });

  scenario("what a result demands counts for the next call", "", async (gate, play) => {
    const judged = [];
    const judge = gate.judge;
    gate.judge = async (...call) => {
      const verdict = await judge.apply(gate, call);
      judged.push(verdict);
      return verdict;
    };
    const log = await play([bash("cat build.log"), bash(FETCH)], { result: PLANTED, answer: false });
    assert.deepEqual(log.ran, ["cat build.log"]);
    const rules = (verdict) => verdict.findings.map((finding) => finding.rule);
    const after = judged.find((verdict) => verdict.arguments.command === FETCH);
    const before = rules(await judge.call(gate, "bash", { command: FETCH }));
    assert.ok(rules(after).some((rule) => !before.includes(rule)));
  });

  scenario("a tool that nobody knows does not run by itself", "", async (gate, play) => {
    const log = await play([["send_money", { to: "DE02120300000000202051", amount: 2400 }]]);
    assert.deepEqual(log.ran, []);
  });
}
