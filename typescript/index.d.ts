// The gate between AI agents and the world: every tool call judged, decided and recorded.

export type Decision = "allow" | "ask" | "deny";
export type Risk = "safe" | "low" | "medium" | "high" | "critical" | "unknown";
export type Mode = string;

/** Something that a call would do and that a person should know of. */
export interface Finding {
  readonly rule: string;
  readonly severity: string;
  readonly confidence: string;
  readonly category: string;
  /** A JSON pointer into the arguments. */
  readonly pointer: string;
  /** The first byte and the one after the last, in that string (UTF-8). */
  readonly span: readonly [number, number];
  readonly message: string;
  readonly remedy: string;
  readonly reversible: boolean;
  readonly resource: string | undefined;
  /** The decoded or nested text that it lies in. */
  readonly layerText: string | undefined;
  /** The file that it lies in, where that is one that the call starts. */
  readonly file: string | undefined;
  readonly fileSpan: readonly [number, number] | undefined;
  readonly fileLine: number | undefined;
}

/** A place that was not understood. */
export interface Gap {
  readonly pointer: string;
  readonly span: readonly [number, number];
  readonly reason: string;
  readonly layerText: string | undefined;
}

/** A file that a call would start, load, or give to something that acts on it. */
export interface File {
  readonly path: string;
  readonly read: string;
  readonly why: string;
  readonly sha256?: string | null;
  readonly bytes?: number | null;
}

/** The answer to one call. It is frozen. */
export class Verdict {
  private constructor();
  readonly decision: Decision;
  get risk(): Risk;
  /** The layer of the policy that decided. */
  get layer(): string;
  /** Why, the most important first. */
  get reasons(): readonly string[];
  /** The most severe first. */
  get findings(): readonly Finding[];
  get coverage(): "full" | "partial";
  get gaps(): readonly Gap[];
  /** What it touches, each with its kind. */
  get resources(): readonly string[];
  get reversible(): boolean;
  get impact(): string;
  get recommendations(): readonly string[];
  /** What must hold while it runs. */
  get obligations(): readonly unknown[];
  get files(): readonly File[];
  /** The action's hash, which a yes is bound to; empty where nothing could be judged. */
  get action(): string;
  readonly tool: string;
  readonly session: string | undefined;
  /** The name of the error, where there is no judgement because of one. The decision is `deny` then. */
  readonly error: string | undefined;
  /** It may run. */
  get allowed(): boolean;
  /** A person must agree first. */
  get asks(): boolean;
  /** It must not run. */
  get denied(): boolean;
  /** What to do instead, each once. */
  get remedies(): string[];
  /** The arguments that were judged: a copy, whatever became of what the caller holds. */
  get arguments(): Record<string, unknown>;
  /** Why, in a line for the agent or its person: what decided, and what to do instead. */
  get why(): string;
  /** The answer as the program writes it (`docs/reference/answer.schema.json`); empty where nothing could be judged. */
  toJSON(): Record<string, unknown>;
}

/** Somebody's answer to what a gate asked. */
export interface Answer {
  approves: boolean;
  /** Who answers: their name goes into the record. */
  by?: string;
  reason?: string;
  /** The hash of what they were shown; the verdict's where it is left out. */
  action?: string;
}

/** Whom a gate asks. */
export type Approver = ((verdict: Verdict) => boolean | Answer | Promise<boolean | Answer>) | Terminal;

/** What a text holds that an agent or its readers must be careful with. */
export interface Inspection {
  /** The text without its secrets. */
  readonly redacted: string;
  /** The secrets: `type`, `rule`, `span`, `line`, `match` (masked), `fingerprint` and more. */
  readonly secrets: readonly Readonly<Record<string, unknown>>[];
  /** It tells an agent what to do. */
  readonly injection: boolean;
  readonly injectionFindings: readonly Readonly<Record<string, unknown>>[];
  /** It does, or comes near to it. */
  readonly caution: boolean;
  readonly cautionFindings: readonly Readonly<Record<string, unknown>>[];
}

/** What a call came to, as it may be shown. */
export interface Outcome<T = unknown> {
  /** The result without its secrets: itself where there are none, else of its own kind where that can be, else its text. */
  readonly shown: T;
  readonly inspection: Inspection;
}

export interface GateOptions {
  /** The file of a configuration; the user's own where none is given. */
  config?: string | URL;
  /** The directory that calls run in which name none. Without it, where such a call runs is not known, which makes a verdict stricter and
   * never looser. */
  project?: string | URL;
  /** Whether decisions, answers and outcomes are recorded in the tamper-evident record of this machine, or the state directory of
   * another one. */
  record?: boolean | string | URL;
  /** Who makes the calls, in the record. */
  agent?: string;
  /** The session of calls that name none. */
  session?: string | Session;
  /** Who is asked. Without it, what asks does not run in `decide`. */
  approve?: Approver;
  /** The URL of a gateway that has a say too and where people answer. */
  gateway?: string;
  /** A file with the gateway's token for agents. */
  gatewayToken?: string | URL;
  /** How many seconds a person is waited for at the gateway. */
  wait?: number;
  /** The permission mode that is enforced for every call. */
  mode?: Mode;
  /** Whether what is noticed about a session (loops, limits) raises decisions, as in a hook. */
  monitor?: boolean;
  /** Whether a person can be asked at all. */
  canAsk?: boolean;
}

/** What a call can say beside its tool and its arguments. */
export interface CallOptions {
  /** Where it runs. */
  cwd?: string | URL;
  session?: string | Session;
  home?: string;
  mode?: Mode;
  summary?: string;
  thought?: string;
  securityRisk?: string;
  id?: string;
}

export interface Tool {
  name: string;
  description?: string;
  inputSchema?: unknown;
  annotations?: unknown;
}

/** Judges tool calls by the configuration of this machine, as the program `portcullis` does. */
export class Gate {
  /** Throws `ConfigError` where the configuration or an option cannot be used. */
  constructor(options?: GateOptions);
  readonly project: string | undefined;
  readonly agent: string | undefined;
  readonly sessionId: string | undefined;
  approve: Approver | undefined;
  /** What identifies the policy that calls are judged under. */
  get policyId(): string;
  /** Why nothing can be recorded, where something should be. What should be recorded and is not is denied. */
  get broken(): string | undefined;
  /** A session: its calls are judged by what its earlier ones left behind, what a person asked for, and what answers said. */
  session(id?: string): Session;
  /** Judges a call and records the decision, on the pool of the process. Throws `CallError` where the call cannot be judged: it must not run
   * then. `decide` never throws. */
  judge(tool: string, args: object, more?: CallOptions): Promise<Verdict>;
  /** As `judge`, at once. Not where a gateway has a say. */
  judgeSync(tool: string, args: object, more?: CallOptions): Verdict;
  /** Judges a call, and asks whoever approves where it asks: what comes of it is `allow` or `deny`, or `ask` where nobody is there to be asked. It
   * throws nothing: what goes wrong is a `deny`. */
  decide(tool: string, args: object, more?: CallOptions & { approve?: Approver }): Promise<Verdict>;
  /** Asks about a call that asks, and gives the verdict after the answer. It throws nothing: an answer that fails is a no. */
  ask(verdict: Verdict, approve?: Approver): Promise<Verdict>;
  /** Records somebody's answer to what asked, and gives the verdict after it. A yes counts for the hash that was shown, once, and not where a
   * file that the call starts is another one by now. */
  answer(verdict: Verdict, answer: boolean | Answer): Promise<Verdict>;
  answerSync(verdict: Verdict, answer: boolean | Answer): Verdict;
  /** Keeps in mind and in the record what a call came to, and gives it without its secrets. What a result tells an agent to do counts when the
   * session's next call is judged. */
  outcome<T>(verdict: Verdict, result: T, options?: { failed?: boolean }): Promise<Outcome<T>>;
  outcomeSync<T>(verdict: Verdict, result: T, options?: { failed?: boolean }): Outcome<T>;
  /** Keeps in mind what a person sent, and nobody else did: what they ask for and the limits that they set count for the session's calls. Gives
   * what was noticed. */
  prompt(text: string, options?: { session?: string | Session }): Promise<Record<string, unknown>>;
  /** Keeps in mind which tools there are. */
  tools(tools: Iterable<Tool>, options?: { session?: string | Session }): Promise<Record<string, unknown>>;
  /** A text without the secrets in it. */
  redact(text: string): string;
  /** What a text holds that an agent or its readers must be careful with. */
  inspect(text: string): Inspection;
}

/** One conversation with an agent, in front of a gate. It has the gate's methods, for its own calls. */
export class Session {
  private constructor();
  readonly gate: Gate;
  readonly id: string;
  judge(tool: string, args: object, more?: Omit<CallOptions, "session">): Promise<Verdict>;
  judgeSync(tool: string, args: object, more?: Omit<CallOptions, "session">): Verdict;
  decide(tool: string, args: object, more?: Omit<CallOptions, "session"> & { approve?: Approver }): Promise<Verdict>;
  ask(verdict: Verdict, approve?: Approver): Promise<Verdict>;
  answer(verdict: Verdict, answer: boolean | Answer): Promise<Verdict>;
  answerSync(verdict: Verdict, answer: boolean | Answer): Verdict;
  outcome<T>(verdict: Verdict, result: T, options?: { failed?: boolean }): Promise<Outcome<T>>;
  outcomeSync<T>(verdict: Verdict, result: T, options?: { failed?: boolean }): Outcome<T>;
  prompt(text: string): Promise<Record<string, unknown>>;
  tools(tools: Iterable<Tool>): Promise<Record<string, unknown>>;
}

/** Asks the person at the terminal that controls this process: they read what would run, without anything that could fool them, and type a word
 * that only the question shows. Where an agent started this process, nobody is asked, and it is a no. */
export class Terminal {
  constructor(options?: { seconds?: number });
  readonly seconds: number;
}

/** Says no to whatever asks. */
export function nobody(): Answer;

export interface GuardOptions<A extends unknown[] = any[]> {
  /** The name that a call is judged by; that of the function or the tool where none is given. */
  tool?: string;
  /** Makes the arguments that are judged out of those of the call, where it is not called with one object of them. */
  arguments?: (...args: A) => object;
  session?: string | Session;
  /** Where it runs; the gate's project, or else the directory of this process, where none is given. */
  cwd?: string | URL;
  approve?: Approver;
  /** `throw` a `Denied`, or give the agent the `text` that says why. */
  denied?: "throw" | "text";
}

/** A function that gives what the given one gives, behind a gate, later. */
export type Guarded<F> = F extends (...args: infer A) => AsyncGenerator<infer P, infer R, infer N>
  ? (...args: A) => AsyncGenerator<P, R, N>
  : F extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : never;

/** What is given, behind a gate: a function, a tool with `execute`, an array of such tools, or an object of them by name. Each call is judged by
 * the object of arguments that it would run with, asked about where it asks, and runs only then; what it gives comes back without its secrets. */
export function guard<F extends (...args: any[]) => unknown>(
  run: F,
  gate: Gate | Session,
  options?: GuardOptions<Parameters<F>>,
): Guarded<F>;
export function guard<T extends object>(tools: T, gate: Gate | Session, options?: GuardOptions): T;

/** A text without the secrets in it. */
export function redact(text: string): string;
/** What a text holds that an agent or its readers must be careful with. */
export function inspect(text: string): Inspection;
export const version: string;

/** Everything that a gate throws. */
export class GateError extends Error {}
/** The configuration cannot be used. */
export class ConfigError extends GateError {}
/** What was given is no call, or not what the tool takes: nothing was judged. */
export class CallError extends GateError {}
/** What must be recorded or kept in mind cannot be. */
export class RecordError extends GateError {}
/** A mistake of ours: nothing was judged. */
export class InternalError extends GateError {}
/** A call does not run. `verdict` says why. */
export class Denied extends GateError {
  constructor(verdict: Verdict, words?: string);
  readonly verdict: Verdict;
}
/** A call asks, and nobody agreed to it. */
export class NotApproved extends Denied {}
