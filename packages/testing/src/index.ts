export { settableClock, type SettableClock } from "./clock.ts";
export { controlledProcess, type ControlledProcess } from "./controlled-process.ts";
export { eventually } from "./eventually.ts";
export { faultyLink, type FaultyLink } from "./faulty-link.ts";
export { startNatsServer, startStore, type TestServer } from "./servers.ts";
export { startService, type ServiceProcess } from "./service-process.ts";
export { freshNamespace, type SharedServers, useSharedServers } from "./shared-servers.ts";
export { temporaryFolder } from "./temporary-folder.ts";
