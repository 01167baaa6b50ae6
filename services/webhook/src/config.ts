import { secondMs } from "@malipo/core";
import { encryptionKeyVariable, platformConfig } from "@malipo/platform";
import { z } from "zod";
import { defaultDelaysMs } from "./domain/retry-schedule.ts";

export const webhookConfig = platformConfig
  .extend({
    ENCRYPTION_KEY: encryptionKeyVariable("signing secrets"),
    MODE: z
      .enum(["sandbox", "live"])
      .default("sandbox")
      .describe("sandbox or live: a live environment sends to https addresses only"),
    ALLOW_LOOPBACK: z
      .enum(["true", "false"])
      .default("false")
      .transform((word) => word === "true")
      .describe("true lets a sandbox send to receivers on its own machine; never true when live"),
    PROXY_URL: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("an HTTP proxy that everything is sent through, which then resolves names itself"),
    RETRY_DELAYS: z
      .string()
      .regex(/^\d{1,6}(,\d{1,6}){0,19}$/)
      .transform((list) => list.split(",").map((seconds) => Number(seconds) * secondMs))
      .default([...defaultDelaysMs])
      .describe("seconds from each failed attempt to the next, separated by commas"),
    ATTEMPT_TIMEOUT_MS: z.coerce
      .number()
      .int()
      .min(100)
      .max(60_000)
      .default(15_000)
      .describe("how long a receiver may take to answer, 100 to 60000"),
  })
  .refine(({ MODE, ALLOW_LOOPBACK }) => MODE === "sandbox" || !ALLOW_LOOPBACK, {
    path: ["ALLOW_LOOPBACK"],
  });

export type WebhookConfig = z.output<typeof webhookConfig>;
