
    const { Gate } = require("@portcullis-gate/core");
    const { parentPort } = require("node:worker_threads");
    const gate = new Gate({ record: false, project: "/w" });
    gate.judge("bash", { command: "rm -rf ~" }).then((verdict) => parentPort.postMessage([verdict.denied, gate.judgeSync("bash", { command: "ls" }).allowed]));