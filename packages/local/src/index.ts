export type { Environment } from "./environment.ts";
export { startGuard } from "./guard.ts";
export { startLocalSystem, type LocalOptions, type LocalSystem } from "./local-system.ts";
export { natsAccess, natsAccessOfTests } from "./nats-access.ts";
export { ensureNatsServer } from "./nats-server.ts";
export { freePort } from "./ports.ts";
export { runProgram, type Program, type RunningProgram } from "./program.ts";
export {
  natsProgram,
  natsRuntime,
  serviceProgram,
  sourceProgram,
  storeProgram,
  storeUri,
  workspaceRoot,
} from "./programs.ts";
export { Refusal } from "./refusal.ts";
