import { sandboxMerchants } from "@malipo/contracts";
import { describe, expect, it } from "vitest";
import { readConfig } from "./config.ts";

describe("the simulator's configuration", () => {
  it("has a default for every variable when the environment is empty", () => {
    const defaults = {
      HOST: "127.0.0.1",
      PORT: 8090,
      PLAIN_HTTP_HOSTS: [],
      KNOWN_HOSTS: [],
      KEPT_MAX: 20_000,
    };
    expect(readConfig({})).toEqual(defaults);
    expect(readConfig({ PORT: "", MERCHANTS: "" })).toEqual(defaults);
  });

  it("reads merchants and faults as JSON", () => {
    const { MERCHANTS, FAULTS } = readConfig({
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
    ["PORT", "0x10"],
    ["KEPT_MAX", "0"],
  ])("names %s in the error when its value is %s", (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(`${name} is not valid`);
  });
});
