// The same module for `import`: there is one gate, whichever way it comes in.
import gate from "./index.js";

export const {
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
} = gate;
