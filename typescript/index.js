"use strict";
// The gate between AI agents and the world: every tool call judged, decided and recorded. Nothing is opened, started or asked of the
// network before a `Gate` is made. Adapters are modules of their own: `/ai-sdk`, `/openai-agents`, `/claude-agent-sdk`, `/mastra`.

const { Terminal, nobody } = require("./lib/approvals.js");
const { CallError, ConfigError, Denied, GateError, InternalError, NotApproved, RecordError } = require("./lib/errors.js");
const { Gate, Session, inspect, redact } = require("./lib/gate.js");
const { guard } = require("./lib/guard.js");
const { Verdict } = require("./lib/verdict.js");
const version = require("./lib/native.js").version();

module.exports = {
  CallError,
  ConfigError,
  Denied,
  Gate,
  GateError,
  InternalError,
  NotApproved,
  RecordError,
  Session,
  Terminal,
  Verdict,
  guard,
  inspect,
  nobody,
  redact,
  version,
};
