export {
  type BatchedCall,
  type HandleBatch,
  batchCalls,
  batchPerTick,
  isWorthGathering,
  messagesPerWriteMax,
  batchCallsPerTick,
} from "./batch-calls.ts";
export { openBatchQueue } from "./batch-queue.ts";
