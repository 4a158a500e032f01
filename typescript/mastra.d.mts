export * from "./mastra.js";
