import { describe, expect, it } from "vitest";
import { fault, type FaultCode, faultRules, notFound } from "./fault.ts";

describe("fault", () => {
  it("has the catalogue's status, text and retry", () => {
    expect(fault("not_found")).toEqual({
      code: "not_found",
      status: 404,
      text: "Not found",
      retry: "never",
    });
  });

  it("may have a text and details of its own, but no status", () => {
    const fields = [{ path: "price", problem: "is required" }];
    expect(fault("invalid_request", { text: "price is required", fields, detail: "why" })).toEqual({
      code: "invalid_request",
      status: 400,
      text: "price is required",
      retry: "never",
      fields,
      detail: "why",
    });
  });

  it("names what is not found", () => {
    expect(notFound("payment link")).toEqual(
      fault("not_found", { text: "Payment link not found" }),
    );
  });

  it.each(Object.keys(faultRules) as FaultCode[])("%s is a failure with a text", (code) => {
    expect(faultRules[code].status).toBeGreaterThanOrEqual(400);
    expect(faultRules[code].text).not.toBe("");
  });
});
