export { connectNats, type Wire } from "./connection.ts";
export { type Consumers, consumerStates, measureNats } from "./nats-metrics.ts";
export { type SendNatsRequest, NoResponder, NotPermitted } from "./reply-inbox.ts";
export {
  ensureConsumer,
  ensureStreams,
  keepStreams,
  messagesPerBatch,
  findStreamReplicas,
} from "./streams.ts";
