import adapter from "./openai-agents.js";

export const { protect, protectTool } = adapter;
