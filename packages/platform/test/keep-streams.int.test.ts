import { eventSubject, streamName } from "@malipo/contracts";
import { createStreams, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStreamCheck } from "../src/nats/index.ts";

const shared = useSharedServers();
let nats: NatsConnection;
/** The server handles requests of one connection in order, so deletions need another one. */
let natsOfOperator: NatsConnection;

beforeAll(async () => {
  nats = await connect({ servers: shared.natsUrl });
  natsOfOperator = await connect({ servers: shared.natsUrl });
});
afterAll(async () => {
  await Promise.all([nats.close(), natsOfOperator.close()]);
});

async function openStream() {
  const servers = inOwnNamespace(shared);
  await createStreams(servers);
  const { streams } = await jetstreamManager(nats);
  const name = streamName(servers.namespace, "event");
  const subject = eventSubject(servers.namespace, "product.created");
  return { streams, name, subject, check: openStreamCheck(nats, servers.namespace, 1) };
}

it("a stream that was changed gets its configuration back", async () => {
  const { streams, name, check } = await openStream();
  const { config } = await streams.info(name);
  await streams.update(name, { ...config, max_age: config.max_age / 2 });
  await check();
  expect((await streams.info(name)).config).toEqual(config);
});

it("a lost stream is created by the second check that misses it", async () => {
  const { streams, name, check } = await openStream();
  await streams.delete(name);
  await check();
  await expect(streams.info(name)).rejects.toThrow("stream not found");
  await check();
  expect((await streams.info(name)).state.messages).toBe(0);
});

it("after a check that failed, a lost stream must be missed twice again", async () => {
  const { streams, name, check } = await openStream();
  const { subjects } = (await streams.info(name)).config;
  await streams.delete(name);
  await check();
  await streams.add({ name: `${name}-in-the-way`, subjects });
  await expect(check()).rejects.toThrow("overlap");
  await streams.delete(`${name}-in-the-way`);
  await check();
  await expect(streams.info(name)).rejects.toThrow("stream not found");
  await check();
  expect((await streams.info(name)).state.messages).toBe(0);
});

it("a stream that is checked while it is deleted keeps the messages that come later", async () => {
  const { streams, name, subject, check } = await openStream();
  const { streams: operatorStreams } = await jetstreamManager(natsOfOperator);
  for (let round = 0; round < 10; round += 1) {
    const deleted = operatorStreams.delete(name);
    await check();
    await deleted;
    await check();
    await check();
    await jetstream(nats).publish(subject, String(round));
    const { state } = await streams.info(name);
    const message = await streams.getMessage(name, { seq: state.last_seq });
    expect([state.messages, message?.string()]).toEqual([1, String(round)]);
  }
});
