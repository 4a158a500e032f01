async function play(plugin, command) {
  let handler;
  plugin.default.register({ on: (name, given) => { if (name === "before_tool_call") handler = given; } });
  const said = await handler({ toolName: "exec", params: { command } }, { sessionKey: "doctor" });
  return said?.block === true ? said.blockReason : null;
}
