import type { Approver, Gate, Session } from "./index.js";

type Hook = (input: any, toolUseID: string | undefined, options: any) => Promise<any>;
type Matcher = { hooks: Hook[]; timeout: number; onFailure: "block" };
type Permission = { behavior: "allow"; updatedInput?: Record<string, unknown> } | { behavior: "deny"; message: string; interrupt?: boolean };
type CanUseTool = (tool: string, input: Record<string, unknown>, options: any) => Promise<any>;

export interface Portcullis {
  /** For `options.hooks`. */
  hooks: Record<"UserPromptSubmit" | "PreToolUse" | "PostToolUse" | "PostToolUseFailure", Matcher[]>;
  /** A permission callback around one's own, for `options.canUseTool`: arguments that it changes are judged before they run. */
  canUseTool(ask: (tool: string, input: Record<string, unknown>, options: any) => Permission | Promise<Permission>): CanUseTool;
}

/** Hooks, and what `canUseTool` must do beside them. */
export function portcullis(gate?: Gate | Session, options?: { approve?: Approver }): Portcullis;
