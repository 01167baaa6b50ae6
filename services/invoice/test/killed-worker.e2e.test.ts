import { calls } from "@malipo/contracts";
import { secondMs } from "@malipo/core";
import { callService, countUnpublishedRecords } from "@malipo/platform";
import { eventually, readEvents, startService, useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { onSubscriptionBilled } from "../src/handlers/events/on-subscription-billed.ts";
import { subscriptionBilled } from "./billing-event.ts";
import { openAsker, openInvoiceService, stock } from "./test-service.ts";

const servers = useSharedServers();
const count = 300;

describe("a worker that is killed while it processes overdue invoices", () => {
  it("leaves the rest to other workers, and no invoice turns overdue twice", async () => {
    const deps = await openInvoiceService(servers);
    const scheduler = await openAsker(servers, "scheduler");
    const shop = await stock(deps);
    for (let made = 0; made < count; made += 100) {
      const events = Array.from({ length: 100 }, () => subscriptionBilled(shop));
      await onSubscriptionBilled(deps)(events);
    }
    const start = async () =>
      startService("invoice", {
        NATS_URL: servers.natsUrl,
        MONGODB_URI: servers.mongodbUri,
        NAMESPACE: servers.namespace,
        LOG_LEVEL: "warn",
      });
    const processOverdue = async () => {
      const buckets = Array.from({ length: 64 }, (_, bucket) => bucket);
      const until = new Date(Date.now() + 2 * secondMs).toISOString();
      return callService(scheduler, calls.processOverdueInvoices, {
        body: { buckets, limit: 1_000, until },
      });
    };

    const first = await start();
    const lostAnswer = processOverdue();
    const { collection } = deps.invoices;
    await eventually(async () => (await collection.countDocuments({ status: "overdue" })) > 0);
    await first.kill();
    expect(await lostAnswer).toMatchObject({ ok: false });
    const left = await collection.countDocuments({ status: "unpaid" });
    expect(left).toBeGreaterThan(0);

    const second = await start();
    try {
      let done = 0;
      for (let isMore = true; isMore;) {
        const answers = await Promise.all([processOverdue(), processOverdue()]);
        const outcomes = answers.map((answer) => (answer.ok ? answer.value : undefined));
        for (const outcome of outcomes) done += outcome?.done ?? 0;
        isMore = outcomes.some((outcome) => outcome?.more ?? true);
      }
      expect(done).toBe(left);
      const database = deps.service.store.db;
      await eventually(
        async () => (await countUnpublishedRecords(database, "invoices")) === 0,
        30_000,
      );
      const events = (await readEvents(servers)).filter(({ type }) => type === "invoice.overdue");
      expect(new Set(events.map(({ recordid }) => recordid)).size).toBe(count);
      // The last events of the killed worker may be published again, but with the same ids.
      expect(new Set(events.map(({ id }) => id)).size).toBe(count);
    } finally {
      await second.stop();
    }
  });
});
