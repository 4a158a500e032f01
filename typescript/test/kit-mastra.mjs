// What the tests of Mastra share with those of its documentation.
import { framework } from "./apart.mjs";

export const agents = await framework("@mastra/core/agent");
export const core = agents && (await framework("@mastra/core/mastra"));
const kit = agents && (await framework("@mastra/core/tools"));
export const storage = agents && (await framework("@mastra/core/storage"));
const zod = (await framework("zod"))?.z;
const ai = await framework("ai");
export const missing = agents === undefined || zod === undefined || ai === undefined ? "`@mastra/core` is not installed" : undefined;

export function tools(play) {
  return {
    bash: kit.createTool({ id: "bash", description: "Runs a command.", inputSchema: zod.object({ command: zod.string() }), execute: async (input) => play.bash(input) }),
    send_money: kit.createTool({
      id: "send_money",
      description: "Sends money to an account.",
      inputSchema: zod.object({ to: zod.string(), amount: zod.number() }),
      execute: async (input) => play.sendMoney(input),
    }),
  };
}
