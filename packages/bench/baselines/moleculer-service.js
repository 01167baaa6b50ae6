/** A Moleculer service on NATS that answers every request with the same product. */
import { ServiceBroker } from "moleculer";
import { announceReady } from "./ready.js";

const [servers, namespace, reply] = process.argv.slice(2);
const product = JSON.parse(reply);

const broker = new ServiceBroker({
  namespace,
  nodeID: "service",
  logger: false,
  transporter: { type: "NATS", options: { servers, noAsyncTraces: true } },
});
broker.createService({ name: "products", actions: { details: () => product } });
await broker.start();
announceReady();
