"use strict";
// The gate, and one session in front of it.

const { randomBytes } = require("node:crypto");
const path = require("node:path");
const { fileURLToPath } = require("node:url");
const { Terminal } = require("./approvals.js");
const { CallError, ConfigError, read } = require("./errors.js");
const native = require("./native.js");
const { encode, textOf, withoutSecrets } = require("./plain.js");
const { failed, kept, readAnswered, readInspection, readVerdict } = require("./verdict.js");

const OPTIONS = new Set(["config", "project", "record", "agent", "session", "approve", "gateway", "gatewayToken", "wait", "mode", "monitor", "canAsk"]);
const CALL = new Map([
  ["home", "home"],
  ["mode", "mode"],
  ["summary", "summary"],
  ["thought", "thought"],
  ["securityRisk", "security_risk"],
  ["id", "id"],
]);

/** A text without the secrets in it. */
function redact(text) {
  return ours(() => native.redact(text));
}

/** What a text holds that an agent or its readers must be careful with: secrets, and words that tell an agent what to do. */
function inspect(text) {
  return readInspection(ours(() => native.inspect(text)));
}

/** Judges tool calls by the configuration of this machine, as the program `portcullis` does. See index.d.ts for its options. */
class Gate {
  #engine;
  #remote;
  // What runs on the pool goes one after the other, so that a session's calls are judged in the order in which they are made, and no
  // more than one thread of the pool waits.
  #last = Promise.resolve();

  constructor(options = {}) {
    const unknown = Object.keys(options).find((name) => !OPTIONS.has(name));
    if (unknown !== undefined) throw new ConfigError(`there is no option \`${unknown}\``);
    const { config, project, record = true, agent, session, approve, gateway, gatewayToken, wait = 0, mode, monitor = true, canAsk = true } = options;
    this.project = project === undefined ? undefined : path.resolve(place(project));
    this.agent = agent;
    this.sessionId = idOf(session);
    this.approve = approve;
    this.#remote = gateway !== undefined;
    this.#engine = ours(
      () =>
        new native.Engine({
          config: place(config),
          record: record !== false,
          state: typeof record === "boolean" ? undefined : place(record),
          mode,
          monitor,
          canAsk,
          gateway,
          gatewayToken: place(gatewayToken),
          wait,
          package: path.dirname(__dirname),
        }),
      ConfigError,
    );
  }

  /** What identifies the policy that calls are judged under. */
  get policyId() {
    return this.#engine.policyId;
  }

  /** Why nothing can be recorded, where something should be. What should be recorded and is not is denied. */
  get broken() {
    return this.#engine.broken ?? undefined;
  }

  /** A session: its calls are judged by what its earlier ones left behind, what a person asked for, and what answers said. One
   * without an id is a new one. */
  session(id) {
    return new Session(this, id ?? `node-${randomBytes(8).toString("hex")}`);
  }

  /** Judges a call and records the decision, on the pool. */
  async judge(tool, args, more) {
    const { line, session } = this.#line(tool, args, more);
    const judged = await this.#apart(() => this.#engine.judge(line));
    return readVerdict(judged, line, tool, session);
  }

  /** As `judge`, at once. */
  judgeSync(tool, args, more) {
    if (this.#remote) throw new CallError("a gateway has a say here, which takes time: use `judge`");
    const { line, session } = this.#line(tool, args, more);
    const judged = ours(() => this.#engine.judgeSync(line));
    return readVerdict(judged, line, tool, session);
  }

  /** Judges a call, and asks whoever approves where it asks. It throws nothing: what goes wrong is a `deny`. */
  async decide(tool, args, { approve = this.approve, ...more } = {}) {
    try {
      const verdict = await this.judge(tool, args, more);
      return verdict.asks && approve !== undefined ? await this.ask(verdict, approve) : verdict;
    } catch (error) {
      return failed(error, tool, idOf(more.session) ?? this.sessionId);
    }
  }

  /** Asks about a call that asks, and gives the verdict after the answer, which is bound to the hash that was shown. It throws nothing: an
   * answer that fails is a no. */
  async ask(verdict, approve = this.approve) {
    if (!verdict.asks) return verdict;
    try {
      if (approve === undefined || approve === null) throw new CallError("nobody is there to be asked");
      const said = approve instanceof Terminal ? await this.#atTerminal(verdict, approve) : await approve(verdict);
      return await this.answer(verdict, said);
    } catch (error) {
      return failed(error, verdict.tool, verdict.session, `nobody agreed to it: ${error?.message ?? error}`);
    }
  }

  /** Records somebody's answer to what asked, and gives the verdict after it. A yes counts for the hash that was shown, and not where a
   * file that the call starts is another one by now. */
  async answer(verdict, answer) {
    const { about, said } = answering(verdict, answer);
    return readAnswered(await this.#apart(() => this.#engine.answered(...said)), about);
  }

  /** As `answer`, at once. */
  answerSync(verdict, answer) {
    const { about, said } = answering(verdict, answer);
    return readAnswered(ours(() => this.#engine.answeredSync(...said)), about);
  }

  /** Keeps in mind and in the record what a call came to, and gives it without its secrets. What a result tells an agent to do counts when
   * the session's next call is judged. */
  async outcome(verdict, result, { failed = false } = {}) {
    const text = textOf(result);
    const { judged } = kept(verdict);
    if (judged === undefined) return outcome(result, text, inspect(text));
    const said = await this.#apart(() => this.#engine.outcome(judged, text, failed ? "failed" : "succeeded"));
    return outcome(result, text, readInspection(said));
  }

  /** As `outcome`, at once. */
  outcomeSync(verdict, result, { failed = false } = {}) {
    const text = textOf(result);
    const { judged } = kept(verdict);
    if (judged === undefined) return outcome(result, text, inspect(text));
    const said = ours(() => this.#engine.outcomeSync(judged, text, failed ? "failed" : "succeeded"));
    return outcome(result, text, readInspection(said));
  }

  /** Keeps in mind what a person sent, and nobody else did: what they ask for and the limits that they set count for the session's
   * calls. Gives what was noticed. */
  prompt(text, { session } = {}) {
    return this.#event("prompt", session, { text });
  }

  /** Keeps in mind which tools there are: `name`, `description`, `inputSchema`, `annotations`. */
  tools(tools, { session } = {}) {
    return this.#event("tools", session, { tools: [...tools] });
  }

  /** A text without the secrets in it. */
  redact(text) {
    return redact(text);
  }

  /** What a text holds that an agent or its readers must be careful with. */
  inspect(text) {
    return inspect(text);
  }

  #line(tool, args, { cwd, session, ...more } = {}) {
    const call = { tool, arguments: args };
    for (const [name, value] of Object.entries(more)) {
      const known = CALL.get(name);
      if (known === undefined) throw new CallError(`a call has no \`${name}\``);
      call[known] = value;
    }
    session = idOf(session) ?? this.sessionId;
    call.cwd = cwd === undefined ? this.project : place(cwd);
    call.agent = this.agent;
    call.session = session;
    return { line: encode(call), session };
  }

  async #event(event, session, fields) {
    const id = idOf(session) ?? this.sessionId;
    if (id === undefined) throw new CallError("no session is named: use `gate.session()`, or name one");
    const line = encode({ event, session: id, agent: this.agent, ...fields });
    return JSON.parse(await this.#apart(() => this.#engine.event(line))).noticed;
  }

  async #atTerminal(verdict, terminal) {
    const { judged } = kept(verdict);
    if (judged === undefined) throw new CallError("this verdict was made elsewhere, or of nothing");
    const asked = terminals.then(() => this.#engine.askAtTerminal(judged, terminal.seconds));
    terminals = asked.catch(() => {});
    try {
      const { approves, by } = await asked;
      return { approves, by, action: verdict.action };
    } catch (error) {
      throw read(error);
    }
  }

  async #apart(run) {
    const mine = this.#last.then(run);
    this.#last = mine.catch(() => {});
    try {
      return await mine;
    } catch (error) {
      throw read(error);
    }
  }
}

// A person is asked one thing at a time.
let terminals = Promise.resolve();

/** One conversation with an agent, in front of a gate. It has the gate's methods, for its own calls. */
class Session {
  constructor(gate, id) {
    this.gate = gate;
    this.id = id;
    Object.freeze(this);
  }

  judge(tool, args, more) {
    return this.gate.judge(tool, args, { ...more, session: this.id });
  }

  judgeSync(tool, args, more) {
    return this.gate.judgeSync(tool, args, { ...more, session: this.id });
  }

  decide(tool, args, more) {
    return this.gate.decide(tool, args, { ...more, session: this.id });
  }

  ask(verdict, approve) {
    return this.gate.ask(verdict, approve);
  }

  answer(verdict, answer) {
    return this.gate.answer(verdict, answer);
  }

  answerSync(verdict, answer) {
    return this.gate.answerSync(verdict, answer);
  }

  outcome(verdict, result, options) {
    return this.gate.outcome(verdict, result, options);
  }

  outcomeSync(verdict, result, options) {
    return this.gate.outcomeSync(verdict, result, options);
  }

  prompt(text) {
    return this.gate.prompt(text, { session: this.id });
  }

  tools(tools) {
    return this.gate.tools(tools, { session: this.id });
  }
}

function ours(run, Otherwise) {
  try {
    return run();
  } catch (error) {
    throw read(error, Otherwise);
  }
}

function place(given) {
  return given instanceof URL ? fileURLToPath(given) : given;
}

function idOf(session) {
  return session instanceof Session ? session.id : (session ?? undefined);
}

function outcome(result, text, inspection) {
  const { redacted } = inspection;
  return Object.freeze({ shown: redacted === text ? result : withoutSecrets(result, redacted, redact), inspection });
}

/** A value as it may be shown before it counts as a result. */
function clean(value) {
  const text = textOf(value);
  return outcome(value, text, inspect(text)).shown;
}

function answering(verdict, answer) {
  const { judged, line } = kept(verdict);
  if (judged === undefined) throw new CallError("this verdict was made elsewhere, or of nothing");
  const { approves, by = "the program's approver", reason, action = verdict.action } = answered(answer);
  const about = { line, judged, tool: verdict.tool, session: verdict.session };
  return { about, said: [judged, approves, by, action, reason] };
}

function answered(said) {
  // Nothing but a plain yes is one: what is merely true may be a promise that nobody waited for.
  if (said === true || said === false) return { approves: said };
  if (typeof said === "object" && said !== null && typeof said.approves === "boolean") return said;
  throw new CallError(`an approver gave ${said === null ? "null" : typeof said} and no boolean or answer`);
}

module.exports = { Gate, Session, clean, inspect, redact };
