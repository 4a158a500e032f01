import type { Approver, Gate, Session } from "./index.js";

export interface Options {
  /** Who is asked, in place of `user-approval`. */
  approve?: Approver;
  /** Signs the requests for approval, so that a yes outlives a restart: `experimental_toolApprovalSecret`. */
  secret?: string | Uint8Array;
}

export interface Protected<T> {
  tools: T;
  toolApproval: (options: any) => Promise<{ type: "approved" } | { type: "user-approval" | "denied"; reason?: string }>;
  experimental_toolApprovalSecret?: string | Uint8Array;
}

/** The tools, judged, with `toolApproval`: to be spread into the options of `generateText`, `streamText` or a `ToolLoopAgent`. */
export function protect<T extends Record<string, any>>(tools: T, gate?: Gate | Session, options?: Options): Protected<T>;
