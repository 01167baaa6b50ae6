import type { ServiceName } from "@malipo/contracts";
import { cents, type Clock } from "@malipo/core";
import { newId, openService, readConfig, type Service } from "@malipo/platform";
import { environmentOn, createStreams, type SharedServers } from "@malipo/testing";
import { onTestFinished } from "vitest";
import { invoiceConfig } from "../src/config.ts";
import { newCustomer } from "../src/domain/customer.ts";
import type { Invoice } from "../src/domain/invoice/invoice.ts";
import type { Deps } from "../src/deps.ts";
import { openDeps } from "../src/service.ts";
import { newProduct } from "../src/domain/product.ts";

/** The invoice service without its consumers, so that a test decides when and how events arrive. */
export async function openInvoiceService(
  servers: SharedServers,
  clock: Clock = () => new Date(),
): Promise<Deps> {
  await createStreams(servers);
  const config = configOn(servers);
  const service = await openService("invoice", config, { clock, random: Math.random });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  return openDeps(service, config.PUBLIC_URL);
}

/** A connection with the NATS permissions of another service. */
export async function openAsker(servers: SharedServers, name: ServiceName): Promise<Service> {
  const service = await openService(name, configOn(servers), {
    clock: () => new Date(),
    random: Math.random,
  });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  return service;
}

function configOn(servers: SharedServers) {
  return readConfig(invoiceConfig, environmentOn(servers));
}

/** A business with a customer and a product. */
export async function stock(deps: Deps) {
  const now = deps.service.clock();
  const [businessid, customerid, productid] = [newId(), newId(), newId()];
  const customer = newCustomer(customerid, businessid, { name: "Asha" }, now);
  const product = newProduct(productid, businessid, { title: "Internet", price: cents(1) }, now);
  await deps.customers.insert(customer, [], { now });
  await deps.products.insert(product, [], { now });
  return { businessid, customerid, productid };
}

export type Stock = Awaited<ReturnType<typeof stock>>;

/** All invoices of a business, oldest first. */
export async function listInvoices({ invoices }: Deps, businessid: string): Promise<Invoice[]> {
  const limit = 100;
  const listed: Invoice[] = [];
  for (let page = 1; ; page += 1) {
    const found = await invoices.page(businessid, {}, { page, limit });
    const whole = await Promise.all(found.invoices.map(({ id }) => invoices.find(businessid, id)));
    listed.push(...whole.filter((invoice) => invoice !== null));
    if (found.invoices.length < limit) return listed.toReversed();
  }
}
