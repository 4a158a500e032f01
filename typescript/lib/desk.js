"use strict";
// What every adapter does in the same way: judge what will run, bind a yes to its hash, show results without secrets. An adapter adds how
// its framework asks, refuses and shows. Nothing here throws where that could let a call run.

const { randomBytes } = require("node:crypto");
const { Gate } = require("./gate.js");
const { refusal, where } = require("./guard.js");
const { encode } = require("./plain.js");
const { failed } = require("./verdict.js");

// How many calls are kept whose answer or result is still to come.
const OPEN = 1024;

class Desk {
  #open = new Map();
  #told = new Set();

  constructor(gate, agent, approve) {
    const at = gate === undefined || gate === null ? { gate: new Gate({ project: process.cwd(), agent }) } : where(gate);
    this.gate = at.gate;
    this.agent = agent;
    this.session = at.session ?? this.gate.sessionId ?? `${agent}-${randomBytes(8).toString("hex")}`;
    this.approve = approve ?? this.gate.approve;
  }

  /** Where the tools run. */
  get directory() {
    return this.gate.project ?? process.cwd();
  }

  /** The session of a conversation that the framework names, the same after a restart. */
  within(thread) {
    return thread ? `${this.agent}-${thread}` : this.session;
  }

  /** The verdict on a call; it asks nobody, and what goes wrong is a `deny`. */
  async judge(tool, args, { session = this.session, id } = {}) {
    try {
      if (typeof args !== "object" || args === null || Array.isArray(args)) args = { input: args };
      return await this.gate.judge(tool, args, { cwd: this.directory, session, ...(id === undefined ? {} : { id }) });
    } catch (error) {
      return failed(error, tool, session);
    }
  }

  /** As `judge`, where whoever approves is asked, if anybody does. */
  async decide(tool, args, more) {
    const verdict = await this.judge(tool, args, more);
    if (!verdict.asks || this.approve === undefined) return verdict;
    return this.#sure(() => this.gate.ask(verdict, this.approve), verdict);
  }

  /** The verdict after the framework's own person answered. `action` is the hash that they were shown; a yes without one, or about another
   * action, is none. */
  async answered(verdict, approves, action, by, reason) {
    return this.#sure(async () => {
      if (approves && !action) throw new Error("the yes does not say what it is about");
      return this.gate.answer(verdict, { approves, by, reason, action: action ?? verdict.action });
    }, verdict);
  }

  /** A result as it may be shown. One that cannot be looked through is not shown. */
  async outcome(verdict, result, options) {
    try {
      return (await this.gate.outcome(verdict, result, options)).shown;
    } catch (error) {
      return `portcullis: the result is held back: ${error?.message ?? error}`;
    }
  }

  /** Keeps in mind what a person sent. */
  async prompt(text, session = this.session) {
    if (text) await this.gate.prompt(text, { session });
  }

  /** Keeps in mind what a tool says of itself, once for each session. */
  async tool(name, description, inputSchema, session = this.session) {
    const key = JSON.stringify([session, name]);
    if (this.#told.has(key)) return;
    this.#told.add(key);
    const told = { name, description: typeof description === "string" ? description : "" };
    try {
      if (typeof inputSchema === "object" && inputSchema !== null) told.inputSchema = JSON.parse(encode(inputSchema));
      await this.gate.tools([told], { session });
    } catch {
      // A tool of which nothing is known is judged more strictly.
    }
  }

  /** Keeps something of a call until its answer or result comes. */
  keep(key, value) {
    if (key === undefined) return;
    this.#open.delete(key);
    this.#open.set(key, value);
    if (this.#open.size > OPEN) this.#open.delete(this.#open.keys().next().value);
  }

  /** What was kept of a call, and is still. */
  kept(key) {
    return this.#open.get(key);
  }

  /** What was kept of a call, and is not any more. */
  take(key) {
    const value = this.#open.get(key);
    this.#open.delete(key);
    return value;
  }

  async #sure(run, verdict) {
    try {
      return await run();
    } catch (error) {
      return failed(error, verdict.tool, verdict.session, `nobody agreed to it: ${error?.message ?? error}`);
    }
  }
}

/** The text that a call which does not run gives in place of its result. */
module.exports = { Desk, words: refusal };
