import { type BodyOf, calls, type OrderDescription } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { newId, openService, readConfig, type RouteHandler, serveRoutes } from "@malipo/platform";
import { environmentOn, freshNamespace, useSharedServers } from "@malipo/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { subscriptionConfig } from "../src/config.ts";
import { type NamedOrder, openDescribeOrder } from "../src/workflows/describe-orders.ts";

const servers = useSharedServers();

type Body = BodyOf<typeof calls.describeOrder>;
type Named = Pick<NamedOrder, "businessid" | "itemids">;

/** Says of a product who asked for it. */
function described({ businessid, itemids }: Named): OrderDescription {
  return { customer: null, products: itemids.map((_id) => ({ _id, title: businessid })) };
}

/** An invoice service of this release, or of one that knows of no others. */
async function asking(release: "this" | "older") {
  const namespace = freshNamespace();
  const environment = environmentOn({ ...servers, namespace });
  const config = readConfig(subscriptionConfig, environment);
  const service = await openService("invoice", config, {
    clock: () => new Date(),
    random: Math.random,
  });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  const bodies: Body[] = [];
  const answer: RouteHandler<typeof calls.describeOrder> = async ({ businessid, body }) => {
    bodies.push(body);
    const first = described({ businessid, itemids: body.itemids });
    const others = (body.others ?? []).map(described);
    return ok({ data: release === "this" ? { ...first, others } : first });
  };
  await serveRoutes(service, { describeOrder: () => answer }, undefined, {
    describeOrder: calls.describeOrder,
  });
  return { bodies, describeOrder: openDescribeOrder(service) };
}

function ordersOf(...itemCounts: number[]): NamedOrder[] {
  const deadline = new Date(Date.now() + 10_000);
  return itemCounts.map((count) => {
    const itemids = Array.from({ length: count }, newId);
    return { businessid: newId(), customerid: newId(), itemids, deadline };
  });
}

const answersTo = (orders: readonly NamedOrder[]) =>
  orders.map((order) => ({ ok: true, value: expect.objectContaining(described(order)) }));

describe("orders that are asked for at once", () => {
  it("are one question, and each has its own answer", async () => {
    const { bodies, describeOrder } = await asking("this");
    const orders = ordersOf(1, 2, 0, 3);
    expect(await Promise.all(orders.map(describeOrder))).toEqual(answersTo(orders));
    expect(bodies).toHaveLength(1);
  });

  it("are as many questions as their items need", async () => {
    const { bodies, describeOrder } = await asking("this");
    const orders = ordersOf(120, 80, 1, 199, 200, 1);
    expect(await Promise.all(orders.map(describeOrder))).toEqual(answersTo(orders));
    expect(bodies.map(({ others = [] }) => 1 + others.length)).toEqual([2, 2, 1, 1]);
  });

  it("are asked for one by one of a release that answers only the first", async () => {
    const { bodies, describeOrder } = await asking("older");
    const orders = ordersOf(1, 2, 3);
    expect(await Promise.all(orders.map(describeOrder))).toEqual(answersTo(orders));
    expect(bodies).toHaveLength(3);
  });
});
