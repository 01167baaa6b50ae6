import { platformConfig } from "@malipo/platform";
import { z } from "zod";

export const invoiceConfig = platformConfig.extend({
  PUBLIC_URL: z
    .url()
    .default("http://localhost:8080")
    .transform((url) => url.replace(/\/+$/, ""))
    .describe("the address under which customers reach pay links and printable invoices"),
});
