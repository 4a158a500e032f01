async function play(plugin, command, cwd) {
  let handler;
  plugin.default({
    on: (name, given) => { if (name === "tool.call") handler = given; },
    system: { workspaceRoot: `file://${cwd}` },
    helpers: { filePathFromURI: (uri) => uri.replace("file://", "") },
  });
  const said = await handler({ tool: "shell_command", input: { command }, thread: { id: "doctor" } }, {});
  return said.action === "reject-and-continue" ? said.message : said.action === "allow" ? null : "";
}
