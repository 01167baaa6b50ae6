import { describe, expect, it } from "vitest";
import { changeSettings, settingsSchema } from "./settings.ts";

const defaults = settingsSchema.parse({});

describe("changeSettings", () => {
  it("changes the named settings and keeps the others, earlier changes included", () => {
    const once = changeSettings(defaults, { timing: { outcomeMs: 5 } });
    const twice = changeSettings(once.data ?? defaults, {
      switches: { twoMinuteRule: true },
      random: { rates: { forged: 0.5 } },
      phones: { "254712345678": "254700100300" },
    });
    expect(twice.data).toEqual({
      timing: { ...defaults.timing, outcomeMs: 5 },
      switches: { ...defaults.switches, twoMinuteRule: true },
      random: { seed: 1, rates: { ...defaults.random.rates, forged: 0.5 } },
      phones: { "254712345678": "254700100300" },
    });
    expect(changeSettings(twice.data ?? defaults, {}).data).toEqual(twice.data);
  });

  it("sets all rates to a single number", () => {
    const { data } = changeSettings(defaults, { random: { rates: 0.25 } });
    expect(new Set(Object.values(data?.random.rates ?? {}))).toEqual(new Set([0.25]));
  });

  it.each([
    null,
    [],
    "all",
    undefined,
    { timing: 5 },
    { timing: { outcomeMs: -1 } },
    { timing: { outcomeMs: 1e9 } },
    { timing: { outcome: 5 } },
    { switches: null },
    { switches: { subscriberLock: true } },
    { random: { rates: 1.5 } },
    { random: { rates: { everything: 1 } } },
    { phones: { "0712345678": "254700100300" } },
    { phones: { "254712345678": "254712345679" } },
    { phones: null },
    { more: {} },
  ])("rejects the change %j", (change) => {
    expect(changeSettings(defaults, change).success).toBe(false);
  });
});
