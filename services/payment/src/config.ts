import { callbackKeys, encryptionKeyVariable, platformConfig } from "@malipo/platform";
import { z } from "zod";

export const paymentConfig = platformConfig.extend({
  MODE: z
    .enum(["sandbox", "live"])
    .default("sandbox")
    .describe("sandbox or live: in the sandbox a business without a payment method gets one"),
  MPESA_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/$/, ""))
    .describe("the base address of Daraja: Safaricom's, or the simulator's"),
  PUBLIC_URL: z
    .url()
    .transform((url) => url.replace(/\/$/, ""))
    .describe("the address under which payers reach the pages"),
  CALLBACK_URL: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/mpesa|\s/i.test(url))
    .transform((url) => url.replace(/\/$/, ""))
    .describe(
      "the address under which M-Pesa reaches the gateway; the word mpesa must not be in it",
    ),
  CALLBACK_KEY: callbackKeys,
  ENCRYPTION_KEY: encryptionKeyVariable("provider secrets"),
  CALLBACK_ADDRESSES: z
    .string()
    .default("")
    .transform((list) => list.split(",").filter(Boolean))
    .describe(
      "addresses, separated by commas, from which callbacks are believed at once; from others a query must agree; all are believed if empty",
    ),
});

export type PaymentConfig = z.output<typeof paymentConfig>;
