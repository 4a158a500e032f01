// Owns what is asked of the gateway while the rest of the page is still on its way: who this is, and for the inbox what waits. It decides and shows nothing.

import { get, isKnown, query } from "./api.js";

// How many requests the inbox shows at first.
export const SHOWN = 50;

// An answer that lay about for longer tells of another time.
const FRESH = 2000;

const FIRST = query("/v1/approvals", { status: "pending", order: "worst", snoozed: "without", limit: SHOWN });
const began = performance.now();

export const whose = get("/v1/me");
let waiting = isKnown() && /^(#\/?(inbox)?)?$/.test(location.hash) ? get(FIRST) : null;
// Who waits for them is told what is wrong with them.
whose.catch(() => {});
waiting?.catch(() => {});

// The answer to a question, which may be here already: once, and no older than it looks.
export async function answer(path) {
  const early = path === FIRST && performance.now() - began < FRESH ? waiting : null;
  waiting = null;
  try {
    return await (early ?? get(path));
  } catch (problem) {
    if (early) return get(path);
    throw problem;
  }
}
