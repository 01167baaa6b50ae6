import { describe, expect, it } from "vitest";
import { percentile, sendAtRate } from "./load.ts";

describe("load at a rate", () => {
  it("sends as many as the rate says, each once", async () => {
    const sent: number[] = [];
    const taken = await sendAtRate(
      async (index) => {
        sent.push(index);
        return 200;
      },
      200,
      0.25,
    );
    expect(taken).toHaveLength(50);
    expect(sent).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  it("counts what could not be sent as not answered", async () => {
    const taken = await sendAtRate(async () => Promise.reject(new Error("gone")), 100, 0.05);
    expect(taken.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0]);
  });

  it("finds percentiles", () => {
    const values = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([percentile(values, 0.5), percentile(values, 0.99)]).toEqual([51, 100]);
  });
});
