export default {
  id: "portcullis",
  name: "Portcullis",
  description: "Every tool call judged, decided and recorded before it runs.",
  register(api) {
    api.on("before_tool_call", async (event, ctx) => {
      try {
        const said = await judge({ tool: event?.toolName, input: event?.params ?? {}, session: ctx?.sessionKey });
        return said.verdict === "allow" ? undefined : { block: true, blockReason: said.reason };
      } catch (error) {
        return { block: true, blockReason: `portcullis denies what it could not judge: ${error}` };
      }
    }, { priority: -1000, timeoutMs: 6000 });
  },
};
