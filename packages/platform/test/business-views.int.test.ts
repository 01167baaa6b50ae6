import { calls } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import { eventually, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { expect, it } from "vitest";
import { consumeEvents } from "../src/consuming/index.ts";
import { newId } from "../src/mongo/index.ts";
import { openRecords } from "../src/records/index.ts";
import { openBusinessViews, serveRoutes } from "../src/rpc/index.ts";
import { cause } from "./notes.ts";
import { newView, updated } from "./business-events.ts";
import { testConsumer } from "./contract.ts";
import {
  testRouteHandlers,
  testEventHandlers,
  openTestService,
  testHandlers,
} from "./test-service.ts";

const shared = useSharedServers();
const openTest = () => openTestService(inOwnNamespace(shared));

it("business views keep the newest event when events arrive in another order", async () => {
  const views = openBusinessViews(await openTest());
  const view = newView("first");
  const events = ["first", "second", "third"].map((name, index) =>
    updated(index + 1, { ...view, name }),
  );
  await views.apply([events[1], events[0], events[1]].filter((event) => event !== undefined));
  expect(await views.get(view._id)).toMatchObject(ok({ name: "second" }));
  await views.apply(events.toReversed());
  expect(await views.get(view._id)).toMatchObject(ok({ name: "third" }));
});

it("business views ask the gateway once for an unknown business", async () => {
  const service = await openTest();
  const view = newView("unknown");
  let requests = 0;
  const handlers = testHandlers({
    describeBusiness: async ({ body: { businessid } }) => {
      requests += 1;
      return businessid === view._id
        ? ok({ data: { seq: 3, business: view } })
        : err(fault("not_found", { text: "Business not found" }));
    },
  });
  await serveRoutes(service, testRouteHandlers, handlers, {
    describeBusiness: calls.describeBusiness,
  });
  const views = openBusinessViews(service);
  expect(await views.get(view._id)).toEqual(ok(view));
  expect(await views.get(view._id)).toEqual(ok(view));
  expect(requests).toBe(1);
  expect(await views.get(newId())).toMatchObject(
    err({ code: "not_found", text: "Business not found" }),
  );
});

it("business views return service_unavailable when the gateway does not run", async () => {
  const views = openBusinessViews(await openTest());
  expect(await views.get(newId())).toMatchObject(err({ code: "service_unavailable" }));
});

it("one consumer receives all event types of a wildcard pattern", async () => {
  const service = await openTest();
  const received: string[] = [];
  const handlers = testHandlers({
    onBusiness: async (events) => {
      received.push(...events.map(({ type }) => type));
      return [];
    },
  });
  consumeEvents(service, testEventHandlers, handlers, [{ ...testConsumer, event: "business.*" }]);
  const records = await openRecords(service, "businesses", [], (ids) => ids);
  const data = newView("named");
  const ids = { id: newId(), businessid: data._id };
  await records.insert(
    ids,
    [
      { type: "business.created", data },
      { type: "business.suspended", data },
    ],
    cause,
  );
  await eventually(() => expect(received).toEqual(["business.created", "business.suspended"]));
});
