"use strict";
// What a gate says of a call. The fields are those of docs/reference/answer.schema.json, in JavaScript's spelling. Everything is frozen.

const { read } = require("./errors.js");

const NOTHING = Object.freeze([]);

/** What stands in the engine's answer, by its name here. */
const FIELDS = {
  risk: (said) => said.risk,
  layer: (said) => said.layer,
  reasons: (said) => frozen(said.reasons),
  findings: (said) => each(said.findings, finding),
  coverage: (said) => said.coverage,
  gaps: (said) => each(said.gaps, gap),
  resources: (said) => frozen(said.resources),
  reversible: (said) => said.reversible,
  impact: (said) => said.impact,
  recommendations: (said) => frozen(said.recommendations),
  obligations: (said) => each(said.obligations, deep),
  files: (said) => each(said.files, deep),
  action: (said) => said.action,
};

/** The answer to one call. Whoever wants more than the decision has the engine's answer written and read, once: mostly nobody does. */
class Verdict {
  #line;
  #answer;
  #judged;
  #fields;

  constructor({ decision, tool, session, error, line, answer, judged, said }) {
    this.decision = decision;
    this.tool = tool;
    this.session = session;
    this.error = error;
    this.#line = line;
    this.#answer = answer;
    this.#judged = judged;
    if (said !== undefined) this.#fields = fieldsOf(said);
    Object.freeze(this);
  }

  static {
    for (const name of Object.keys(FIELDS)) {
      const get = function () {
        return (this.#fields ??= fieldsOf(JSON.parse(this.#text())))[name];
      };
      Object.defineProperty(this.prototype, name, { get, enumerable: true });
    }
  }

  #text() {
    try {
      return (this.#answer ??= this.#judged?.answer);
    } catch (error) {
      throw read(error);
    }
  }

  /** It may run. */
  get allowed() {
    return this.decision === "allow";
  }

  /** A person must agree first. */
  get asks() {
    return this.decision === "ask";
  }

  /** It must not run. */
  get denied() {
    return this.decision !== "allow" && this.decision !== "ask";
  }

  /** What to do instead, each once. */
  get remedies() {
    return [...new Set(this.findings.map((finding) => finding.remedy))];
  }

  /** The arguments that were judged: a copy, whatever became of what the caller holds. */
  get arguments() {
    return this.#line === undefined ? {} : JSON.parse(this.#line).arguments;
  }

  /** Why, in a line for the agent or its person: what decided, and what to do instead. */
  get why() {
    const worst = this.findings[0];
    const reason = this.reasons[0] ?? "the policy says so";
    const words = worst === undefined || reason.includes(worst.message) ? reason : `${worst.message} (${reason})`;
    return worst !== undefined && !this.allowed ? `${words}. Instead: ${worst.remedy}` : words;
  }

  /** The answer as the program writes it; empty where nothing could be judged. */
  toJSON() {
    const text = this.#text();
    return text === undefined ? {} : JSON.parse(text);
  }

  /** Every field, for whoever prints it. */
  [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) {
    const fields = { decision: this.decision };
    for (const name of Object.keys(FIELDS)) fields[name] = this[name];
    const { tool, session, error } = this;
    return `Verdict ${inspect({ ...fields, tool, session, error }, options)}`;
  }

  /** What the addon keeps of the call, and the line that was judged: for the gate alone. */
  static kept(verdict) {
    return #judged in Object(verdict) ? { judged: verdict.#judged, line: verdict.#line } : {};
  }
}

const { kept } = Verdict;
delete Verdict.kept;
Object.freeze(Verdict.prototype);

/** The verdict on a call that the addon judged. */
function readVerdict(judged, line, tool, session) {
  return new Verdict({ decision: judged.decision, line, judged, tool, session });
}

/** The verdict after somebody answered. */
function readAnswered(answer, about) {
  const said = JSON.parse(answer);
  return new Verdict({ ...about, decision: said.decision, answer, said });
}

function fieldsOf(said) {
  const fields = {};
  for (const [name, of] of Object.entries(FIELDS)) fields[name] = of(said);
  return fields;
}

/** The verdict on what could not be judged: it does not run. */
function failed(error, tool, session, words) {
  const reason = words ?? `it was not judged, so it does not run: ${error?.message ?? error}`;
  const said = {
    risk: "unknown",
    layer: "floor",
    reasons: [reason],
    coverage: "partial",
    reversible: false,
    impact: "it is not known what it would do",
    action: "",
  };
  return new Verdict({ decision: "deny", said, tool, session, error: error?.name ?? "Error" });
}

/** What the addon says of a text. */
function readInspection(answer) {
  const said = JSON.parse(answer);
  return Object.freeze({
    redacted: said.redacted,
    secrets: each(said.secrets, deep),
    injection: said.injection,
    injectionFindings: each(said.injection_findings, deep),
    caution: said.caution,
    cautionFindings: each(said.caution_findings, deep),
  });
}

function finding(said) {
  return Object.freeze({
    rule: said.rule,
    severity: said.severity,
    confidence: said.confidence,
    category: said.category,
    pointer: said.in,
    span: frozen(said.span),
    message: said.message,
    remedy: said.remedy,
    reversible: said.reversible,
    resource: said.resource ?? undefined,
    layerText: said.layer_text ?? undefined,
    file: said.file ?? undefined,
    fileSpan: said.file_span ? frozen(said.file_span) : undefined,
    fileLine: said.file_line ?? undefined,
  });
}

function gap(said) {
  return Object.freeze({ pointer: said.in, span: frozen(said.span), reason: said.reason, layerText: said.layer_text ?? undefined });
}

function frozen(list) {
  return list === undefined || list.length === 0 ? NOTHING : Object.freeze(list);
}

function each(list, of) {
  return list === undefined || list.length === 0 ? NOTHING : Object.freeze(list.map(of));
}

function deep(value) {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(deep);
  return Object.freeze(value);
}

module.exports = { Verdict, failed, kept, readAnswered, readInspection, readVerdict };
