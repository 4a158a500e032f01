export default function portcullis(pi) {
  pi.on("tool_call", async (event, ctx) => {
    try {
      const asks = ctx?.hasUI === true ? { asks: true } : {};
      const said = await judge({ tool: event?.toolName, input: event?.input ?? {}, cwd: ctx?.cwd, ...asks });
      if (said.verdict === "allow") return undefined;
      if (said.verdict === "ask" && asks.asks && (await ctx.ui.confirm("Portcullis", said.reason)) === true) return undefined;
      return { block: true, reason: said.reason };
    } catch (error) {
      return { block: true, reason: `portcullis denies what it could not judge: ${error}` };
    }
  });
}
