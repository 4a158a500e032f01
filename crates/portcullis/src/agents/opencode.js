export const Portcullis = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const said = await judge({ tool: input?.tool, input: output?.args ?? {}, cwd: directory, session: input?.sessionID });
    if (said.verdict !== "allow") throw new Error(said.reason);
  },
});
