/** The same as floor-gateway.ts, with Fastify's routing and reply handling. */
import type { AddressInfo } from "node:net";
import { connect } from "@nats-io/transport-node";
import Fastify from "fastify";
import { announceReady } from "../announce-ready.ts";
import { productPath, requestTimeoutMs } from "./product-request.ts";

const [servers = "", subject = ""] = process.argv.slice(2);
const connection = await connect({ servers, noAsyncTraces: true });

const app = Fastify({ logger: false });
app.get<{ Params: { id: string } }>(`${productPath}:id`, async (request, reply) => {
  const { data } = await connection.request(subject, request.params.id, {
    timeout: requestTimeoutMs,
  });
  return reply
    .header("content-type", "application/json; charset=utf-8")
    .send(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
});
await app.listen({ port: 0, host: "127.0.0.1" });
announceReady({ port: (app.server.address() as AddressInfo).port });
