export type { Environment } from "./environment.ts";
export { startLocalSystem, type LocalOptions, type LocalSystem } from "./local-system.ts";
