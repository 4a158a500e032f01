"use strict";
// What a gate says of a call. The fields are those of docs/reference/answer.schema.json, in JavaScript's spelling. Everything is frozen.

const NOTHING = Object.freeze([]);

/** The answer to one call. */
class Verdict {
  #line;
  #answer;
  #judged;

  constructor(said, { tool, session, error, line, answer, judged }) {
    this.decision = said.decision;
    this.risk = said.risk;
    this.layer = said.layer;
    this.reasons = frozen(said.reasons);
    this.findings = each(said.findings, finding);
    this.coverage = said.coverage;
    this.gaps = each(said.gaps, gap);
    this.resources = frozen(said.resources);
    this.reversible = said.reversible;
    this.impact = said.impact;
    this.recommendations = frozen(said.recommendations);
    this.obligations = each(said.obligations, deep);
    this.files = each(said.files, deep);
    this.action = said.action;
    this.tool = tool;
    this.session = session;
    this.error = error;
    this.#line = line;
    this.#answer = answer;
    this.#judged = judged;
    Object.freeze(this);
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
    return this.#answer === undefined ? {} : JSON.parse(this.#answer);
  }

  /** What the addon keeps of the call, and the line that was judged: for the gate alone. */
  static kept(verdict) {
    return #judged in Object(verdict) ? { judged: verdict.#judged, line: verdict.#line } : {};
  }
}

const { kept } = Verdict;
delete Verdict.kept;

/** The verdict that an answer of the addon says. */
function readVerdict(answer, about) {
  return new Verdict(JSON.parse(answer), { ...about, answer });
}

/** The verdict on what could not be judged: it does not run. */
function failed(error, tool, session, words) {
  const reason = words ?? `it was not judged, so it does not run: ${error?.message ?? error}`;
  const said = {
    decision: "deny",
    risk: "unknown",
    layer: "floor",
    reasons: [reason],
    coverage: "partial",
    reversible: false,
    impact: "it is not known what it would do",
    action: "",
  };
  return new Verdict(said, { tool, session, error: error?.name ?? "Error" });
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

function each(list, read) {
  return list === undefined || list.length === 0 ? NOTHING : Object.freeze(list.map(read));
}

function deep(value) {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(deep);
  return Object.freeze(value);
}

module.exports = { Verdict, failed, kept, readInspection, readVerdict };
