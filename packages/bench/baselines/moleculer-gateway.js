/** Moleculer's web gateway, asking a Moleculer service over NATS. */
import { ServiceBroker } from "moleculer";
import ApiService from "moleculer-web";
import { announceReady } from "./ready.js";

const [servers, namespace] = process.argv.slice(2);

const broker = new ServiceBroker({
  namespace,
  nodeID: "gateway",
  logger: false,
  transporter: { type: "NATS", options: { servers, noAsyncTraces: true } },
});
const api = broker.createService({
  name: "api",
  mixins: [ApiService],
  settings: {
    ip: "127.0.0.1",
    port: 0,
    routes: [
      {
        path: "/business/product",
        mappingPolicy: "restrict",
        bodyParsers: false,
        aliases: { "GET details/:id": "products.details" },
      },
    ],
  },
});
await broker.start();
await broker.waitForServices("products", 10_000);
announceReady({ port: api.server.address().port });
