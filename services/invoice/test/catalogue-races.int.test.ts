import { basisPoints } from "@malipo/core";
import { newId, VersionConflict } from "@malipo/platform";
import { startStoreProxy, useSharedServers } from "@malipo/testing";
import { afterAll, afterEach, expect, it } from "vitest";
import { newTax } from "../src/domain/tax.ts";
import { handlers } from "../src/handlers/index.ts";
import { openInvoiceService, stock } from "./test-service.ts";

const servers = useSharedServers();
const proxy = await startStoreProxy(servers.mongodbUri);
afterEach(() => proxy.forget());
afterAll(() => proxy.close());
const now = new Date("2026-11-02T08:00:00Z");

/** For each collection: the route, two changes, and what the record shows after both. */
const changes = {
  customers: ["updateCustomer", { name: "Asha M" }, { email: "a@example.com" }, {}],
  products: ["updateProduct", { title: "Internet 20" }, { price: 200_000 }, { price: 2_000 }],
  taxes: ["updateTax", { title: "VAT 16" }, { rate: 1_600 }, { rate: 16 }],
} as const;

it.each(["customers", "products", "taxes"] as const)(
  "two changes of %s at once are both kept: the slower one is decided again",
  async (collection) => {
    const own = await openInvoiceService({ ...servers, mongodbUri: proxy.mongodbUri }, () => now);
    const other = await openInvoiceService(servers, () => now);
    const { businessid, customerid, productid } = await stock(other);
    const tax = newTax(newId(), businessid, { title: "VAT", rate: basisPoints(1_400) }, now);
    await other.taxes.insert(tax, [], { now });
    const id = { customers: customerid, products: productid, taxes: tax.id }[collection];
    const [handler, early, late, shown] = changes[collection];
    const change = async (deps: typeof own, body: object) => {
      const request = { businessid, params: { id }, body, cause: { now } };
      return handlers[handler](deps)(request as never);
    };
    const won = proxy.interrupt({ side: "before", pattern: { collection } }, async () =>
      change(other, early),
    );
    await expect(change(own, late)).rejects.toThrow(VersionConflict);
    await won;
    // As `serveRoutes` does after a conflict.
    expect(await change(own, late)).toMatchObject({
      ok: true,
      value: { data: { ...early, ...late, ...shown } },
    });
  },
);
