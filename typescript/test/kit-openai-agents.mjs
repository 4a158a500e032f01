// What the tests of the OpenAI Agents SDK share with those of its documentation.
import { framework } from "./apart.mjs";

export const sdk = await framework("@openai/agents");
const fake = sdk && (await framework("@openai/agents-core/testing"));
export const zod = (await framework("zod"))?.z;
export const missing = sdk === undefined || fake === undefined || zod === undefined ? "`@openai/agents` is not installed" : undefined;
sdk?.setTracingDisabled(true);

export function model(play) {
  const turns = play.turns.map((calls, turn) => calls.map(([name, args], at) => fake.functionCall(name, args, { callId: `call-${turn}-${at}` })));
  return new fake.ScriptedModel([...turns, [fake.assistantMessage("bye")]]);
}

export function tools(play) {
  return [
    sdk.tool({ name: "bash", description: "Runs a command.", parameters: zod.object({ command: zod.string() }), execute: (input) => play.bash(input) }),
    sdk.tool({
      name: "send_money",
      description: "Sends money to an account.",
      parameters: zod.object({ to: zod.string(), amount: zod.number() }),
      execute: (input) => play.sendMoney(input),
    }),
  ];
}
