import { describe, expect, it } from "vitest";
import { chooseBehaviour } from "./choose-behaviour.ts";
import { findMagicBehaviour } from "./magic-numbers.ts";
import { faultNames, type FaultRates } from "./random-faults.ts";

const everyFault = Object.fromEntries(faultNames.map((name) => [name, 1])) as FaultRates;
const random = { seed: 1, rates: everyFault };

describe("the chosen behaviour, with every random fault at rate 1", () => {
  it("of a magic number has no random faults", () => {
    for (let requestNumber = 1; requestNumber <= 20; requestNumber += 1) {
      const chosen = chooseBehaviour("254700000001", requestNumber, { phones: {}, random });
      expect(chosen).toEqual(findMagicBehaviour("254700000001"));
    }
  });

  it("of a phone that is set to behave like a magic number has no random faults", () => {
    const phones = { "254712345678": "254700100300" };
    const chosen = chooseBehaviour("254712345678", 1, { phones, random });
    expect(chosen).toEqual(findMagicBehaviour("254700100300"));
  });
});
