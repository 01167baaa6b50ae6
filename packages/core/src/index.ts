export * from "./assert.ts";
export * from "./fault.ts";
export * from "./id.ts";
export * from "./money.ts";
export * from "./percent.ts";
export * from "./result.ts";
export * from "./search-words.ts";
export * from "./time.ts";
