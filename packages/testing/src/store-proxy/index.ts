export { type CrashPoint, type CrashScenario, crashAtEachWrite } from "./crash-points.ts";
export { type Interruption, startStoreProxy, type StoreProxy } from "./store-proxy.ts";
export type { StoreWrite, WritePattern } from "./store-write.ts";
