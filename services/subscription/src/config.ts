import { platformConfig } from "@malipo/platform";
import { z } from "zod";

export const subscriptionConfig = platformConfig.extend({
  PUBLIC_URL: z
    .url()
    .default("http://localhost:8080")
    .transform((url) => url.replace(/\/+$/, ""))
    .describe("the address under which customers reach pay links"),
  PROMPT_HOURS: z
    .string()
    .regex(/^([01]?\d|2[0-3])-([1-9]|1\d|2[0-4])$/)
    .default("8-20")
    .transform((text) => {
      const [from = 0, to = 24] = text.split("-").map(Number);
      return { from, to };
    })
    .refine(({ from, to }) => from < to)
    .describe("the hours of a day in Nairobi in which phones may be prompted, as from-to"),
});

export type SubscriptionConfig = z.output<typeof subscriptionConfig>;
