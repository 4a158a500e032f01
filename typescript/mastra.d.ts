import type { Approver, Gate, Session } from "./index.js";

/** The tools, judged: an object of them by name. */
export function protect<T extends Record<string, any>>(tools: T, gate?: Gate | Session, options?: { approve?: Approver }): T;
