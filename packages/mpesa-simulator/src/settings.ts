import { minuteMs, secondMs } from "@malipo/core";
import { z } from "zod";
import { faultNames } from "./behaviour/random-faults.ts";

const longest = 10 * minuteMs;
const phonesMax = 10_000;

function duration(fallback: number, what: string) {
  return z.int().min(0).max(longest).default(fallback).describe(what);
}

const timing = z.strictObject({
  outcomeMs: duration(secondMs, "from the prompt to its outcome when no person holds the phone"),
  slowMs: duration(4 * secondMs, "how long a slow answer takes"),
  hangMs: duration(minuteMs, "how long an answer that never comes keeps its connection"),
  lateMs: duration(75 * secondMs, "how much later than the outcome a late callback comes"),
  processingMs: duration(30 * secondMs, "how long a query says that it is still processing"),
  promptMs: duration(minuteMs, "how long a prompt waits for the person at the phone page"),
  callbackMs: duration(10 * secondMs, "how long a callback waits for its answer"),
});

const switches = z.strictObject({
  subscriberLock: z
    .enum(["off", "refuse", "callback"])
    .default("off")
    .describe("a phone with an open prompt: the next request is refused, or ends in 1001"),
  twoMinuteRule: z
    .boolean()
    .default(false)
    .describe("the same amount from the same phone within two minutes ends in 17"),
  newTokenEndsOlder: z
    .boolean()
    .default(true)
    .describe("a new access token ends the application's older ones"),
  tokenSeconds: z.int().min(1).max(86_400).default(3_599).describe("an access token's life"),
  timestampSkewMinutes: z
    .int()
    .min(0)
    .max(1_440)
    .default(0)
    .describe("how far a request's timestamp may be off; 0 takes any"),
  callbackAttempts: z
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe("how often a callback is sent that is not answered with 200"),
});

const rate = z.number().min(0).max(1);
const noRates = Object.fromEntries(faultNames.map((name) => [name, 0]));

const random = z.strictObject({
  seed: z.int().default(1).describe("the same seed makes the same faults, phone by phone"),
  rates: z
    .union([
      rate.transform((one) => Object.fromEntries(faultNames.map((name) => [name, one]))),
      z.partialRecord(z.enum(faultNames), rate),
    ])
    .transform((rates) => ({ ...noRates, ...rates }) as Record<(typeof faultNames)[number], number>)
    .default(noRates as Record<(typeof faultNames)[number], number>)
    .describe("how often each fault happens, from 0 to 1; one number means all of them"),
});

const phones = z
  .record(z.string().regex(/^254[17]\d{8}$/), z.string().regex(/^254700[01]\d{5}$/))
  .refine((all) => Object.keys(all).length <= phonesMax, `at most ${phonesMax} phones`)
  .describe("phones that behave as if they were one of the magic numbers");

export const settingsSchema = z.strictObject({
  timing: timing.prefault({}),
  switches: switches.prefault({}),
  random: random.prefault({}),
  phones: phones.default({}),
});

export type Settings = z.output<typeof settingsSchema>;
/** What is left out keeps its default. */
export type SettingsInput = z.input<typeof settingsSchema>;

type Section = Readonly<Record<string, unknown>>;

/** Takes over what is named and leaves the rest as it is; the phones are replaced as a whole. */
export function changeSettings(
  settings: Settings,
  change: unknown,
): z.ZodSafeParseResult<Settings> {
  if (typeof change !== "object" || change === null || Array.isArray(change)) {
    return settingsSchema.safeParse(change);
  }
  const given: Section = { ...change };
  return settingsSchema.safeParse({
    ...settings,
    ...given,
    timing: merged(settings.timing, given["timing"]),
    switches: merged(settings.switches, given["switches"]),
    random: merged(settings.random, given["random"]),
  });
}

function merged(section: Section, change: unknown): unknown {
  if (change === undefined) return section;
  return typeof change === "object" && change !== null ? { ...section, ...change } : change;
}
