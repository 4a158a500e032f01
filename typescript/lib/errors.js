"use strict";
// Everything that goes wrong, as one tree under `GateError`.

/** Everything that a gate throws. */
class GateError extends Error {
  get name() {
    return this.constructor.name;
  }
}

/** The configuration cannot be used. */
class ConfigError extends GateError {}

/** What was given is no call, or not what the tool takes: nothing was judged. */
class CallError extends GateError {}

/** What must be recorded or kept in mind cannot be. */
class RecordError extends GateError {}

/** A mistake of ours: nothing was judged. */
class InternalError extends GateError {}

/** A call does not run. `verdict` says why. */
class Denied extends GateError {
  constructor(verdict, words = verdict.why) {
    super(words);
    this.verdict = verdict;
  }
}

/** A call asks, and nobody agreed to it. */
class NotApproved extends Denied {}

const KINDS = { ConfigError, CallError, RecordError, InternalError };

/** An error of the addon as one of ours: it begins with the name of its kind. One that does not is about what the addon was given. */
function read(error, Otherwise = CallError) {
  if (error instanceof GateError) return error;
  const [, kind, words] = /^(\w+): ([^]*)$/.exec(error?.message ?? "") ?? [];
  if (Object.hasOwn(KINDS, kind ?? "")) return new KINDS[kind](words, { cause: error });
  return new Otherwise(String(error?.message ?? error), { cause: error });
}

module.exports = { GateError, ConfigError, CallError, RecordError, InternalError, Denied, NotApproved, read };
