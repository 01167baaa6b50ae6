import { cents, type Clock } from "@malipo/core";
import { newId, openService, readConfig } from "@malipo/platform";
import type { SharedServers } from "@malipo/testing";
import { onTestFinished } from "vitest";
import { invoiceConfig } from "../src/config.ts";
import { newCustomer } from "../src/customer.ts";
import type { Deps } from "../src/deps.ts";
import { openDeps } from "../src/open-deps.ts";
import { newProduct } from "../src/product.ts";

/** The invoice service without its consumers: a test delivers events by itself, as badly as it likes. */
export async function openInvoiceService(
  servers: SharedServers,
  clock: Clock = () => new Date(),
): Promise<Deps> {
  const config = readConfig(invoiceConfig, {
    NATS_URL: servers.natsUrl,
    MONGODB_URI: servers.mongodbUri,
    NAMESPACE: servers.namespace,
    LOG_LEVEL: "silent",
    HEALTH_HOST: "127.0.0.1",
    HEALTH_PORT: "0",
  });
  const service = await openService("invoice", config, clock);
  onTestFinished(() => service.shutdown.begin("the test is over"));
  return openDeps(service, config.PUBLIC_URL);
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
