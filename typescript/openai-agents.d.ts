import type { Approver, Gate, Session } from "./index.js";

/** A copy of an agent whose function tools are judged. Throws `TypeError` where it has others. */
export function protect<A extends { tools: any[]; clone(config: any): any }>(agent: A, gate?: Gate | Session, options?: { approve?: Approver }): A;

/** A copy of a tool that is judged. Use one gate or session for all tools of an agent. */
export function protectTool<T extends { type: "function"; name: string }>(tool: T, gate?: Gate | Session, options?: { approve?: Approver }): T;
