import { rmSync } from "node:fs";
import { serviceNames } from "@malipo/contracts";
import { dataOf, eventually, readEvents } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import type { Sale } from "./business.ts";
import { restart, useProduction } from "./production.ts";
import { sellMeanwhile } from "./sell-meanwhile.ts";

const production = await useProduction();
const { simulator } = production;

describe("the built system, as it runs in production", () => {
  it("sells: customer, product, invoice, prompt, paid, receipt, webhook", async () => {
    const sale = await production.business.sell();
    await production.business.settles([sale]);
    expect(sale.transactionid).toMatch(/^[0-9a-f]{24}$/);
  });

  // One of each two; that both are restarted, again and again, is in rolling.long.test.ts.
  it("fails nobody while a replica of every service in turn is restarted", async () => {
    const { business } = production;
    const { result, sales, problems } = await sellMeanwhile(business, async () =>
      restart(production, 1),
    );
    expect(problems).toEqual([]);
    expect(result).toEqual(serviceNames.map(() => "exit code 0"));
    expect(sales.length).toBeGreaterThan(0);
    await business.settles(sales);
  }, 120_000);
});

describe("streams that are lost with their disk", () => {
  const hearers = ["invoice", "webhook"] as const;
  const ofHearers = () => hearers.flatMap((service) => production.replicasOf(service));

  it("come back from the databases: what was lost arrives, nothing twice", async () => {
    const { business, nats, malipo } = production;
    const sales = await Promise.all([business.sell(), business.sell(), business.sell()]);
    await business.settles(sales);
    const unheard = await paidUnheard();

    await nats.stop();
    rmSync(production.streams, { recursive: true });
    await nats.start();
    // The streams are made again within seconds; until then nothing can be published.
    await eventually(
      async () => expect(await readEvents(production.servers())).toBeDefined(),
      20_000,
    );
    await Promise.all(ofHearers().map(async (replica) => replica.start()));
    for (const { invoiceid } of unheard) {
      const invoice = await business.ask(200, "GET", `/business/invoice/details/${invoiceid}`);
      expect(dataOf(invoice)).toMatchObject({ status: "unpaid" });
    }

    await malipo("events", "resend", "--since", "1d");
    await business.settles([...sales, ...unheard]);
    await malipo("events", "resend", "--since", "1d");
    await business.settles([...sales, ...unheard, await business.sell()]);
    expect(await malipo("dead", "list")).toBe("[]\n");
    await Promise.all(schedulers().map(async (replica) => replica.start()));
  }, 120_000);

  /** Sales that are paid while those who should hear of it are away. */
  async function paidUnheard(): Promise<Sale[]> {
    const { timing } = simulator.settings();
    simulator.change({ timing: { outcomeMs: 60_000 } });
    const sales = [await production.business.sell(), await production.business.sell()];
    simulator.change({ timing });
    await Promise.all([...ofHearers(), ...schedulers()].map(async (replica) => replica.stop()));
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

/** They would have the services compare what they believe, and mend by themselves what is lost here. */
const schedulers = () => production.replicasOf("scheduler");

async function typePin(id: string): Promise<void> {
  await fetch(`${simulator.url}/phone/press`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id, pin: "1234" }),
  });
}
