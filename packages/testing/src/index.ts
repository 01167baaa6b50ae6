export { settableClock, type SettableClock } from "./settable-clock.ts";
export { countUnhandledEvents, deleteConsumers } from "./consumers.ts";
export { controlledProcess, type ControlledProcess } from "./controlled-process.ts";
export { countMessages, publishEvents, readEvents } from "./event-stream.ts";
export { faultyLink, type FaultyLink } from "./faulty-link.ts";
export { pdfPages, withoutSpaces } from "./pdf-text.ts";
export { overPodMemory, podEnvironment } from "./pod-memory.ts";
export { randomFrom } from "./random.ts";
export { type RawAnswer, sendRaw } from "./send-raw.ts";
export { startSimulator } from "./simulator.ts";
export { startNatsServer, startStore, type TestServer } from "./servers.ts";
export { prepareService, startService, type ServiceProcess } from "./service-process.ts";
export {
  environmentOn,
  freshNamespace,
  inOwnNamespace,
  type SharedServers,
  useSharedServers,
} from "./shared-servers.ts";
export { clientFrom, p99Of, type Sample, startLoad } from "./steady-load.ts";
export {
  crashAtEachWrite,
  type CrashPoint,
  type CrashScenario,
  type Interruption,
  startStoreProxy,
  type StoreProxy,
  type StoreWrite,
  type WritePattern,
} from "./store-proxy/index.ts";
export { temporaryFolder } from "./temporary-folder.ts";
export { freezeClock, type FrozenClock } from "./frozen-clock.ts";
export { startSystem, type TestSystem } from "./system.ts";
export { allServices, type UsedSystem, useSystem } from "./used-system.ts";
export {
  type ApiAnswer,
  call,
  dataOf,
  eventually,
  idIn,
  makeBusiness,
  createStreams,
} from "./without-vitest.ts";
