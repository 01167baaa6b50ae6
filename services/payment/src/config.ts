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
  PHONE_REST_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .default(30)
    .describe(
      "how long the API lets a phone rest after a prompt that its owner cancelled or did not answer; each further one doubles the rest, and 0 means no rest",
    ),
  PHONE_REST_MAX_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(86_400)
    .default(21_600)
    .describe("the longest rest of a phone; prompts of the last day count"),
});

export type PaymentConfig = z.output<typeof paymentConfig>;
