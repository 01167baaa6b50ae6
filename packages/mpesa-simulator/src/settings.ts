import { minuteMs, secondMs } from "@malipo/core";
import { z } from "zod";
import { faultNames, type FaultRates } from "./behaviour/random-faults.ts";

const durationMaxMs = 10 * minuteMs;
const phonesMax = 10_000;

function duration(defaultMs: number, description: string) {
  return z.int().min(0).max(durationMaxMs).default(defaultMs).describe(description);
}

/** All in milliseconds. */
const timing = z.strictObject({
  outcomeMs: duration(secondMs, "from a prompt to its outcome when the phone page is not open"),
  slowMs: duration(4 * secondMs, "how long a slow answer takes"),
  hangMs: duration(minuteMs, "how long a request without an answer keeps its connection"),
  lateMs: duration(75 * secondMs, "from the outcome to a late callback"),
  processingMs: duration(
    30 * secondMs,
    "from the prompt, how long a query with a temporary fault keeps that fault",
  ),
  promptMs: duration(minuteMs, "how long a prompt on an open phone page waits for a key press"),
  callbackMs: duration(10 * secondMs, "how long a callback waits for its response"),
});

const switches = z.strictObject({
  subscriberLock: z
    .enum(["off", "refuse", "callback"])
    .default("off")
    .describe(
      "what happens to a request for a phone with an open prompt: refused, or ends in 1001",
    ),
  twoMinuteRule: z
    .boolean()
    .default(false)
    .describe("the same amount from the same phone within two minutes ends in 17"),
  newTokenEndsOlder: z
    .boolean()
    .default(true)
    .describe("a new access token revokes the application's older ones"),
  tokenSeconds: z.int().min(1).max(86_400).default(3_599).describe("lifetime of an access token"),
  timestampSkewMinutes: z
    .int()
    .min(0)
    .max(1_440)
    .default(0)
    .describe("the largest difference of a request's timestamp from now; 0 accepts any"),
  callbackAttempts: z
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe("how often a callback is sent until it is answered with 200"),
});

const rate = z.number().min(0).max(1);

function uniformRates(value: number): FaultRates {
  return Object.fromEntries(faultNames.map((name) => [name, value])) as FaultRates;
}

const random = z.strictObject({
  seed: z.int().default(1).describe("the same seed makes the same faults, phone by phone"),
  rates: z
    .union([rate.transform(uniformRates), z.partialRecord(z.enum(faultNames), rate)])
    .transform((rates): FaultRates => ({ ...uniformRates(0), ...rates }))
    .default(uniformRates(0))
    .describe("how often each fault happens, from 0 to 1; a single number applies to all faults"),
});

const phones = z
  .record(z.string().regex(/^254[17]\d{8}$/), z.string().regex(/^254700[01]\d{5}$/))
  .refine((all) => Object.keys(all).length <= phonesMax, `at most ${phonesMax} phones`)
  .describe("phones that behave like a magic number");

export const settingsSchema = z.strictObject({
  timing: timing.prefault({}),
  switches: switches.prefault({}),
  random: random.prefault({}),
  phones: phones.default({}),
});

export type Settings = z.output<typeof settingsSchema>;
/** Every field is optional and has a default. */
export type SettingsInput = z.input<typeof settingsSchema>;

type Section = Readonly<Record<string, unknown>>;

/** Changes the named settings and keeps the others. `phones` and `random.rates` are replaced whole. */
export function changeSettings(
  settings: Settings,
  change: unknown,
): z.ZodSafeParseResult<Settings> {
  if (typeof change !== "object" || change === null || Array.isArray(change)) {
    return settingsSchema.safeParse(change);
  }
  const changes: Section = { ...change };
  return settingsSchema.safeParse({
    ...settings,
    ...changes,
    timing: mergeSection(settings.timing, changes["timing"]),
    switches: mergeSection(settings.switches, changes["switches"]),
    random: mergeSection(settings.random, changes["random"]),
  });
}

function mergeSection(section: Section, change: unknown): unknown {
  if (change === undefined) return section;
  return typeof change === "object" && change !== null ? { ...section, ...change } : change;
}
