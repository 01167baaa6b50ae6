export * from "./assert.ts";
export * from "./fault.ts";
export * from "./id.ts";
export * from "./money.ts";
export * from "./result.ts";
export * from "./time.ts";
