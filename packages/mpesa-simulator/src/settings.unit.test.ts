import { describe, expect, it } from "vitest";
import { changeSettings, settingsSchema } from "./settings.ts";

const start = settingsSchema.parse({});

describe("a change of the settings", () => {
  it("takes over what is named and leaves the rest, and what was changed before", () => {
    const once = changeSettings(start, { timing: { outcomeMs: 5 } });
    const twice = changeSettings(once.data ?? start, {
      switches: { twoMinuteRule: true },
      random: { rates: { forged: 0.5 } },
      phones: { "254712345678": "254700100300" },
    });
    expect(twice.data).toEqual({
      timing: { ...start.timing, outcomeMs: 5 },
      switches: { ...start.switches, twoMinuteRule: true },
      random: { seed: 1, rates: { ...start.random.rates, forged: 0.5 } },
      phones: { "254712345678": "254700100300" },
    });
    expect(changeSettings(twice.data ?? start, {}).data).toEqual(twice.data);
  });

  it("may set all rates at once", () => {
    const { data } = changeSettings(start, { random: { rates: 0.25 } });
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
  ])("is refused when it is %j", (change) => {
    expect(changeSettings(start, change).success).toBe(false);
  });
});
