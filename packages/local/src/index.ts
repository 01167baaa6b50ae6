export type { Environment } from "./folder/environment.ts";
export { startGuard } from "./supervisor/guard.ts";
export { startLocalSystem, type LocalOptions, type LocalSystem } from "./local-system.ts";
export { createNatsAccess, createTestNatsAccess } from "./nats/nats-access.ts";
export { ensureNatsServer } from "./nats/nats-server.ts";
export { freePort } from "./supervisor/ports.ts";
export { runProgram, type Program, type RunningProgram } from "./supervisor/program.ts";
export {
  natsProgram,
  natsRuntime,
  serviceProgram,
  servicesProgram,
  sourceProgram,
  storeProgram,
  storeUri,
} from "./programs.ts";
export { UserError } from "./terminal/user-error.ts";
export { workspaceRoot } from "./workspace.ts";
