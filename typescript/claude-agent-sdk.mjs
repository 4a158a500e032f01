import adapter from "./claude-agent-sdk.js";

export const { portcullis } = adapter;
