export { connectNats, type Wire } from "./connection.ts";
export { type Consumers, consumerStates, measureNats } from "./nats-metrics.ts";
export { type SendNatsRequest, NoResponder, NotPermitted } from "./reply-inbox.ts";
export { keepStreams, openStreamCheck } from "./keep-streams.ts";
export { ensureConsumer, ensureStreams, messagesPerBatch, findStreamReplicas } from "./streams.ts";
