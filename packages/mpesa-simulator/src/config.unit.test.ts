import { sandboxMerchants } from "@malipo/contracts";
import { readConfig } from "@malipo/platform";
import { describe, expect, it } from "vitest";
import { simulatorConfig } from "./config.ts";

describe("the environment", () => {
  it("may be empty", () => {
    expect(readConfig(simulatorConfig, {})).toEqual({
      HOST: "127.0.0.1",
      PORT: 8090,
      PLAIN_HTTP_HOSTS: [],
      KEPT_MAX: 20_000,
    });
  });

  it("may name merchants and faults as JSON", () => {
    const { MERCHANTS, FAULTS } = readConfig(simulatorConfig, {
      MERCHANTS: JSON.stringify([sandboxMerchants.till]),
      FAULTS: '{"random": {"rates": 0.5}}',
    });
    expect(MERCHANTS).toEqual([sandboxMerchants.till]);
    expect(FAULTS?.random.rates.callbackLost).toBe(0.5);
  });

  it.each([
    ["MERCHANTS", "[]"],
    ["MERCHANTS", "[{}]"],
    ["MERCHANTS", "no JSON"],
    ["FAULTS", '{"timing": {"outcome": 1}}'],
    ["PORT", "65536"],
    ["KEPT_MAX", "0"],
  ])("with %s as %s is refused by name", (name, value) => {
    expect(() => readConfig(simulatorConfig, { [name]: value })).toThrow(`${name} is not valid`);
  });
});
