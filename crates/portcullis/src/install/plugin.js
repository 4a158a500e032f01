import { spawn } from "node:child_process";

const LIMIT = 5000;
const LONGEST = 1 << 20;

// Gives { verdict: "allow" | "ask" | "deny", reason }. Whatever goes wrong is a denial: no process, no answer in time, an
// exit code, anything that is not the answer of the protocol.
function judge(call) {
  return new Promise((resolve) => {
    let timer;
    let child;
    const settle = (verdict, reason) => {
      clearTimeout(timer);
      resolve({ verdict, reason });
    };
    const refuse = (why) => {
      settle("deny", `portcullis denies what it could not judge: ${why}`);
      try { child?.kill("SIGKILL"); } catch { /* It is gone already. */ }
    };
    try {
      const payload = JSON.stringify({ portcullis: 1, agent: COMMAND[2], event: "tool.before", ...call });
      child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"], shell: false, windowsHide: true });
      timer = setTimeout(() => refuse(`no answer in ${LIMIT} ms`), LIMIT);
      let answer = "";
      child.on("error", (error) => refuse(String(error?.message ?? error)));
      child.stdin.on("error", () => { /* What ended early says so with its code. */ });
      child.stdout.setEncoding("utf8");
      child.stdout.on("data", (part) => {
        answer += part;
        if (answer.length > LONGEST) refuse("the answer is too long");
      });
      child.on("close", (code) => {
        if (code !== 0) return refuse(`it ended with ${code}`);
        let said;
        try { said = JSON.parse(answer); } catch { return refuse("the answer is no JSON"); }
        if (!["allow", "ask", "deny"].includes(said?.verdict)) return refuse("the answer is not understood");
        settle(said.verdict, typeof said.reason === "string" && said.reason ? said.reason : "portcullis denies this");
      });
      child.stdin.end(payload);
    } catch (error) {
      refuse(String(error?.message ?? error));
    }
  });
}
