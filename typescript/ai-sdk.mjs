import adapter from "./ai-sdk.js";

export const { protect } = adapter;
