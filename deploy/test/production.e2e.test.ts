import { rmSync } from "node:fs";
import { serviceNames } from "@malipo/contracts";
import { dataOf, eventually, readEvents } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import type { Sale } from "./business.ts";
import { restartReplicas, useProduction } from "./production.ts";
import { sellMeanwhile } from "./sell-meanwhile.ts";

const production = await useProduction();
const { simulator } = production;

describe("the built system with two replicas of each service", () => {
  it("sells: an invoice is prompted and paid, with one receipt and one webhook for each event", async () => {
    const sale = await production.business.sell();
    await production.business.expectSettled([sale]);
    expect(sale.transactionid).toMatch(/^[0-9a-f]{24}$/);
  });

  // Restarts one replica of each service, once. rolling.long.test.ts restarts both, several times.
  it("fails no request when a replica of every service in turn is restarted", async () => {
    const { business } = production;
    const { result, sales, problems } = await sellMeanwhile(business, async () =>
      restartReplicas(production, 1),
    );
    expect(problems).toEqual([]);
    expect(result).toEqual(serviceNames.map(() => "exit code 0"));
    expect(sales.length).toBeGreaterThan(0);
    await business.expectSettled(sales);
  }, 120_000);
});

describe("events after the loss of the streams' disk", () => {
  const consumingServices = ["invoice", "webhook"] as const;
  const consumingReplicas = () =>
    consumingServices.flatMap((service) => production.replicasOf(service));

  it("are resent from the databases, and each takes effect once", async () => {
    const { business, nats, malipo } = production;
    const sales = await Promise.all([business.sell(), business.sell(), business.sell()]);
    await business.expectSettled(sales);
    const unconsumed = await payWithoutConsumers();

    await nats.stop();
    rmSync(production.streamsFolder, { recursive: true });
    await nats.start();
    // Services create the streams again within seconds. Until then nothing can be published.
    await eventually(
      async () => expect(await readEvents(production.servers())).toBeDefined(),
      20_000,
    );
    await Promise.all(consumingReplicas().map(async (replica) => replica.start()));
    for (const { invoiceid } of unconsumed) {
      const invoice = await business.request(200, "GET", `/business/invoice/details/${invoiceid}`);
      expect(dataOf(invoice)).toMatchObject({ status: "unpaid" });
    }

    await malipo("events", "resend", "--since", "1d");
    await business.expectSettled([...sales, ...unconsumed]);
    await malipo("events", "resend", "--since", "1d");
    await business.expectSettled([...sales, ...unconsumed, await business.sell()]);
    expect(await malipo("dead", "list")).toBe("[]\n");
    await Promise.all(schedulerReplicas().map(async (replica) => replica.start()));
  }, 120_000);

  /** Makes sales that are paid while the services that consume `payment.completed` are stopped. */
  async function payWithoutConsumers(): Promise<Sale[]> {
    const { timing } = simulator.settings();
    simulator.change({ timing: { outcomeMs: 60_000 } });
    const sales = [await production.business.sell(), await production.business.sell()];
    simulator.change({ timing });
    const stopped = [...consumingReplicas(), ...schedulerReplicas()];
    await Promise.all(stopped.map(async (replica) => replica.stop()));
    const open = simulator.prompts().filter(({ endedat }) => endedat === null);
    await Promise.all(open.map(async ({ checkoutrequestid }) => typePin(checkoutrequestid)));
    await eventually(async () => {
      const events = await readEvents(production.servers());
      const completed = events.filter(({ type }) => type === "payment.completed");
      const ids = completed.map(({ recordid }) => recordid);
      expect(ids).toEqual(expect.arrayContaining(sales.map((sale) => sale.transactionid)));
    }, 20_000);
    return sales;
  }
});

/** Stopped in this test: they start the reconciliation, which would resend the lost events without the command. */
const schedulerReplicas = () => production.replicasOf("scheduler");

async function typePin(id: string): Promise<void> {
  await fetch(`${simulator.url}/phone/press`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id, pin: "1234" }),
  });
}
