import { describe, expect, it } from "vitest";
import { fault, type FaultCode, faultRules, notFound } from "./fault.ts";

describe("fault", () => {
  it("takes status, text and retry advice from the catalogue", () => {
    expect(fault("not_found")).toEqual({
      code: "not_found",
      status: 404,
      text: "Not found",
      retry: "never",
    });
  });

  it("replaces the text and adds details when they are given", () => {
    const fields = [{ path: "price", problem: "is required" }];
    expect(fault("invalid_request", { text: "price is required", fields, logText: "why" })).toEqual(
      {
        code: "invalid_request",
        status: 400,
        text: "price is required",
        retry: "never",
        fields,
        logText: "why",
      },
    );
  });

  it("notFound names the missing record in its text", () => {
    expect(notFound("payment link")).toEqual(
      fault("not_found", { text: "Payment link not found" }),
    );
  });

  it.each(Object.keys(faultRules) as FaultCode[])(
    "%s has an error status and a public text",
    (code) => {
      expect(faultRules[code].status).toBeGreaterThanOrEqual(400);
      expect(faultRules[code].text).not.toBe("");
    },
  );
});
