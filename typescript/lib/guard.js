"use strict";
// A function or a set of tools behind a gate: the floor for everything that has no adapter of its own.

const { CallError, Denied, NotApproved } = require("./errors.js");
const { Gate, Session, clean } = require("./gate.js");
const { copied, isPlain } = require("./plain.js");
const { failed } = require("./verdict.js");

const OPTIONS = new Set(["tool", "arguments", "session", "cwd", "approve", "denied"]);
const AsyncGenerator = Object.getPrototypeOf(async function* () {}).constructor;

/** What is given, behind a gate: a function, a tool with `execute`, an array of such tools, or an object of them by name. See index.d.ts. */
function guard(given, gate, options = {}) {
  const at = where(gate);
  const unknown = Object.keys(options).find((name) => !OPTIONS.has(name));
  if (unknown !== undefined) throw new TypeError(`there is no option \`${unknown}\``);
  if (typeof given === "function") return guarded(given, named(options.tool ?? given.name), at, options);
  if (Array.isArray(given)) return given.map((tool) => guardedTool(tool, undefined, at, options));
  if (typeof given?.execute === "function") return guardedTool(given, undefined, at, options);
  if (typeof given !== "object" || given === null) throw new TypeError("there is nothing to guard");
  return Object.fromEntries(Object.entries(given).map(([name, tool]) => [name, guardedTool(tool, name, at, options)]));
}

/** The gate and the session that a gate or a session stands for. */
function where(gate) {
  if (gate instanceof Session) return { gate: gate.gate, session: gate.id };
  if (gate instanceof Gate) return { gate, session: undefined };
  throw new TypeError("a gate or a session is needed");
}

function guardedTool(tool, key, at, options) {
  const name = named(options.tool ?? key ?? tool?.name ?? tool?.id);
  if (typeof tool?.execute !== "function") throw new TypeError(`\`${name}\` has no \`execute\`: it runs elsewhere than here, and cannot be guarded`);
  return replaced(tool, { execute: guarded(tool.execute.bind(tool), name, at, options, tool.execute) });
}

/** The object with other properties: of the same class, and with everything else of it. */
function replaced(object, properties) {
  const copy = Object.create(Object.getPrototypeOf(object), Object.getOwnPropertyDescriptors(object));
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(copy, name, { value, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

function named(name) {
  if (typeof name !== "string" || name.trim() === "") throw new TypeError("a tool without a name cannot be judged: give `tool`");
  return name;
}

function guarded(run, name, at, options, original = run) {
  const { gate } = at;
  const session = options.session ?? at.session;
  // It runs in this process, so where it runs is known.
  const cwd = () => options.cwd ?? gate.project ?? process.cwd();
  const way = {
    async decide(given) {
      let args;
      try {
        args = options.arguments === undefined ? only(given) : options.arguments(...given);
      } catch (error) {
        return failed(error, name, session?.id ?? session);
      }
      const approve = options.approve ?? gate.approve;
      return gate.decide(name, args, { session, cwd: cwd(), approve });
    },
    refused(verdict) {
      if (options.denied === "text") return refusal(verdict);
      throw verdict.asks ? new NotApproved(verdict) : new Denied(verdict);
    },
    outcome: async (verdict, result) => (await gate.outcome(verdict, result)).shown,
    failed: (verdict, error) => gate.outcome(verdict, error, { failed: true }),
  };
  return wrapped(run, original, way, options.arguments === undefined ? first : all);
}

/** What a call is given, copied: its one object of arguments, beside which a framework gives what is its own. */
function first(given) {
  return given.length === 0 ? [] : [copied(given[0]), ...given.slice(1)];
}

function all(given) {
  return given.map((value) => copied(value));
}

/** A function that runs after `way.decide` allowed what it was given, `fixed`. Adapters have ways of their own. */
function wrapped(run, original, way, fixed = first) {
  const isStream = original instanceof AsyncGenerator;
  const made = isStream
    ? async function* (...given) {
        const taken = fixed(given);
        const verdict = await way.decide(taken);
        if (!verdict.allowed) return yield way.refused(verdict);
        yield* shownEach(run(...taken), verdict, way);
      }
    : async function (...given) {
        const taken = fixed(given);
        const verdict = await way.decide(taken);
        if (!verdict.allowed) return way.refused(verdict);
        let result;
        try {
          result = await run(...taken);
          // Who waits for a result gets the last of a stream that comes unannounced.
          if (typeof result?.[Symbol.asyncIterator] === "function" && typeof result.next === "function") {
            let last;
            for await (const part of result) last = part;
            result = last;
          }
        } catch (error) {
          await way.failed(verdict, error);
          throw error;
        }
        return way.outcome(verdict, result);
      };
  Object.defineProperty(made, "name", { value: original.name, configurable: true });
  return made;
}

/** Each part of a stream without its secrets; the last one counts as the result. */
async function* shownEach(parts, verdict, way) {
  let held;
  let any = false;
  try {
    for await (const part of parts) {
      if (any) yield clean(held);
      held = part;
      any = true;
    }
  } catch (error) {
    await way.failed(verdict, error);
    throw error;
  }
  const last = await way.outcome(verdict, held);
  if (any) yield last;
}

/** The arguments of a call, where a function takes one object. */
function only(given) {
  const [args] = given;
  if (given.length === 0) return {};
  if (typeof args !== "object" || args === null || Array.isArray(args) || !isPlain(args)) {
    throw new CallError("it is called with something else than one object: say in `arguments` what its arguments are called");
  }
  return args;
}

/** What the agent is told of a call that does not run. */
function refusal(verdict) {
  return `portcullis: ${verdict.asks ? "nobody agreed to it" : "denied"}: ${verdict.why}`;
}

module.exports = { guard, refusal, replaced, where, wrapped };
