async function play(plugin, command, cwd) {
  const hooks = await plugin.Portcullis({ directory: cwd, client: {} });
  try {
    await hooks["tool.execute.before"]({ tool: "bash", sessionID: "doctor", callID: "1" }, { args: { command } });
    return null;
  } catch (error) {
    return error.message;
  }
}
