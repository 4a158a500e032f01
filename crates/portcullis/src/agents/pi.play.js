async function play(plugin, command, cwd) {
  let handler;
  plugin.default({ on: (name, given) => { if (name === "tool_call") handler = given; } });
  const said = await handler({ toolName: "bash", input: { command } }, { cwd, hasUI: false });
  return said?.block === true ? said.reason : null;
}
