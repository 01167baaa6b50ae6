import { describe, expect, it } from "vitest";
import { percentile, sendAtRate } from "./load.ts";

describe("the load generator", () => {
  it("sends rate × seconds requests, each once", async () => {
    const sent: number[] = [];
    const answered = await sendAtRate(
      async (index) => {
        sent.push(index);
        return 200;
      },
      200,
      0.25,
    );
    expect(answered).toHaveLength(50);
    expect(sent).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  it("records status 0 for a request that could not be sent", async () => {
    const answered = await sendAtRate(async () => Promise.reject(new Error("gone")), 100, 0.05);
    expect(answered.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0]);
  });

  it("computes percentiles", () => {
    const values = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([percentile(values, 0.5), percentile(values, 0.99)]).toEqual([51, 100]);
  });
});
