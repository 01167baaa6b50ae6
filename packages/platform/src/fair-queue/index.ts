export { createFairQueue, type FairQueue, type FairQueueLimits, type Turn } from "./fair-queue.ts";
export { createShare, type Share } from "./share.ts";
