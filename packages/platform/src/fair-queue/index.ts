export { createFairQueue, type FairQueue, type FairQueueLimits, type Turn } from "./fair-queue.ts";
