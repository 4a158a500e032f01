"use strict";
// JavaScript's values as JSON, and results without their secrets. What JSON cannot say is refused, not guessed: a gate that
// judged something else than what runs would be none.

const { inspect: shown } = require("node:util");
const { CallError } = require("./errors.js");

// More than any reader of JSON goes into; what is deeper is refused before the stack ends.
const DEEPEST = 500;

/** Whether a value is an object as `{}` makes them: nothing of it comes from a prototype that somebody wrote. */
function isPlain(value) {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf");
}

function put(object, key, value) {
  if (key === "__proto__") Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  else object[key] = value;
}

/** The value as JSON says it: each property is read once. */
function plain(value, depth = 0) {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (Number.isFinite(value)) return value;
      throw new CallError(`the number ${value} cannot be judged`);
    case "object":
      break;
    default:
      throw new CallError(`a value of the type \`${typeof value}\` cannot be judged`);
  }
  if (value === null) return null;
  if (depth > DEEPEST) throw new CallError("the arguments are no JSON: they go too deep, or round in a ring");
  if (Array.isArray(value)) return Array.from(value, (item) => plain(item, depth + 1));
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (value instanceof URL) return value.href;
  if (value instanceof Uint8Array) {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
    } catch {
      throw new CallError("bytes that are no UTF-8 cannot be judged");
    }
  }
  if (!isPlain(value)) throw new CallError(`a value of the type \`${value.constructor?.name ?? "object"}\` cannot be judged`);
  const said = {};
  for (const key of Object.keys(value)) {
    const item = value[key];
    // A property that is not there and one that is `undefined` are the same to JSON, and to whoever reads it.
    if (item !== undefined) put(said, key, plain(item, depth + 1));
  }
  return said;
}

/** The JSON of a call or an event. */
function encode(value) {
  try {
    return JSON.stringify(plain(value));
  } catch (error) {
    if (error instanceof CallError) throw error;
    throw new CallError(`the arguments are no JSON: ${error.message}`, { cause: error });
  }
}

/** The value, with what it is made of copied: nobody else can change what was judged before it runs. */
function copied(value, depth = 0) {
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) throw new CallError("the arguments are no JSON: they go too deep, or round in a ring");
  if (Array.isArray(value)) return Array.from(value, (item) => copied(item, depth + 1));
  if (value instanceof Date) return new Date(value);
  if (value instanceof URL) return new URL(value);
  if (value instanceof Uint8Array) return value.slice();
  if (!isPlain(value)) return value;
  const copy = {};
  for (const key of Object.keys(value)) put(copy, key, copied(value[key], depth + 1));
  return copy;
}

/** Whether JSON says all of a value. */
function isJson(value, depth = 0) {
  if (value === null || ["string", "number", "boolean", "undefined"].includes(typeof value)) return true;
  if (typeof value !== "object" || depth > DEEPEST || typeof value.toJSON === "function") return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1));
  return isPlain(value) && Object.values(value).every((item) => isJson(item, depth + 1));
}

/** A result as an agent would read it. */
function textOf(result) {
  if (typeof result === "string") return result;
  if (result === undefined || result === null) return "";
  if (result instanceof Uint8Array) return new TextDecoder().decode(result);
  if (isJson(result)) return JSON.stringify(result);
  const all = { depth: null, maxArrayLength: null, maxStringLength: null, breakLength: Infinity };
  return shown(result, all);
}

/** A result that holds secrets, without them: of its own kind where that can be, else its text. */
function withoutSecrets(result, redacted, redact) {
  if (result instanceof Uint8Array) return Buffer.from(redacted);
  if (typeof result !== "object" || !isJson(result)) return redacted;
  try {
    return JSON.parse(redacted);
  } catch {
    return each(result, redact);
  }
}

function each(value, redact) {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => each(item, redact));
  if (typeof value !== "object" || value === null) return value;
  const clean = {};
  for (const [key, item] of Object.entries(value)) put(clean, redact(key), each(item, redact));
  return clean;
}

module.exports = { copied, encode, isPlain, textOf, withoutSecrets };
