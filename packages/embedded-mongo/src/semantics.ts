export * from "./semantics/index.ts";
