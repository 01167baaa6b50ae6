import { addMs } from "@malipo/core";
import { newId } from "@malipo/platform";
import {
  crashAtEachWrite,
  createStreams,
  startStoreProxy,
  type StoreProxy,
  useSharedServers,
} from "@malipo/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leaseMs } from "../src/domain/queue.ts";
import { addFailed, sendRequests, ways } from "./send-requests.ts";
import { addEndpoint, openStores } from "./service.ts";

const servers = useSharedServers();
const now = new Date("2026-11-22T08:00:00Z");
let proxy: StoreProxy;

beforeAll(async () => {
  await createStreams(servers);
  proxy = await startStoreProxy(servers.mongodbUri);
});
afterAll(() => proxy.close());

describe("a process that dies while it sends a test or resends", () => {
  it.each(ways)(
    "leaves nothing due at an endpoint that no worker finds: %s",
    async (_name, send) => {
      const { own, other } = {
        own: await openStores({ ...servers, mongodbUri: proxy.mongodbUri }),
        other: await openStores(servers),
      };
      const points = await crashAtEachWrite(proxy, {
        prepare: async () => {
          await other.service.store.db.collection("queues").deleteMany({});
          const endpoint = await addEndpoint(other, newId(), "http://127.0.0.1:9/");
          const { id } = await addFailed(other, endpoint, { now, dueat: null });
          return { endpoint, id };
        },
        run: async ({ endpoint, id }) => send(sendRequests(own, endpoint, now), id),
        // Nobody asks again.
        runAgain: async () => undefined,
        check: async ({ endpoint }) => {
          const dueAt = await other.deliveries.nextDueAt(endpoint.id);
          const claimed = await other.queues.claim(addMs(now, leaseMs), 1);
          const isFound = claimed.some(({ endpointid }) => endpointid === endpoint.id);
          expect({ isFound: isFound || dueAt === null }).toEqual({ isFound: true });
        },
      });
      const written = points.map(({ write }) => write.collection);
      expect(written.filter((name) => !name.endsWith("turns"))).toEqual(
        ["queues", "deliveries", "queues"].flatMap((name) => [name, name]),
      );
    },
  );
});
