import { describe, expect, it } from "vitest";
import { drawBehaviour, drawFraction, faultNames, type FaultRates } from "./random-faults.ts";

const allRates = (rate: number) =>
  Object.fromEntries(faultNames.map((name) => [name, rate])) as FaultRates;

const drawFifty = (seed: number, phone: string) =>
  Array.from({ length: 50 }, (_, requestNumber) => {
    const { answer, result, query } = drawBehaviour(allRates(0.3), seed, phone, requestNumber);
    return { answer, result, query };
  });

describe("random faults", () => {
  it("never happen at rate 0", () => {
    for (let requestNumber = 1; requestNumber <= 200; requestNumber += 1) {
      expect(drawBehaviour(allRates(0), 1, "254712345678", requestNumber)).toEqual({
        answer: { kind: "accepted", slow: false },
        isPrompted: true,
        result: "0",
        callbacks: [{ when: "ended" }],
        query: { kind: "true-result" },
      });
    }
  });

  it("are the same for the same seed, phone and request, and differ for other ones", () => {
    expect(drawFifty(7, "254712345678")).toEqual(drawFifty(7, "254712345678"));
    expect(drawFifty(7, "254712345678")).not.toEqual(drawFifty(8, "254712345678"));
    expect(drawFifty(7, "254712345678")).not.toEqual(drawFifty(7, "254712345679"));
  });

  it("happen as often as their rate says", () => {
    const fractions = Array.from({ length: 4_000 }, (_, nth) => drawFraction(1, "any", nth));
    for (const rate of [0.1, 0.5, 0.9]) {
      const below = fractions.filter((fraction) => fraction < rate);
      expect(below.length / fractions.length).toBeCloseTo(rate, 1);
    }
  });
});
