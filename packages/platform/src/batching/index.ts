export { batchCalls, togetherEachTurn, type BatchedCall, type HandleBatch } from "./batch-calls.ts";
export { batchPerTick, messagesPerWriteMax } from "./batch-per-tick.ts";
export { openBatchQueue } from "./batch-queue.ts";
export { isWorthGathering } from "./is-worth-gathering.ts";
