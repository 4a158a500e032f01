export default function portcullis(amp) {
  amp.on("tool.call", async (event) => {
    try {
      const root = amp.system?.workspaceRoot;
      const cwd = root ? amp.helpers.filePathFromURI(root) : undefined;
      const said = await judge({ tool: event?.tool, input: event?.input ?? {}, cwd, session: event?.thread?.id });
      return said.verdict === "allow" ? { action: "allow" } : { action: "reject-and-continue", message: said.reason };
    } catch (error) {
      return { action: "reject-and-continue", message: `portcullis denies what it could not judge: ${error}` };
    }
  });
}
