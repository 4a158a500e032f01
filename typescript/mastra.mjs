import adapter from "./mastra.js";

export const { protect } = adapter;
