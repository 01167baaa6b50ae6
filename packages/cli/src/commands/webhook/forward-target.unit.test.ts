import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { deriveSigningSecret, parseSigningSecret, parseTargetUrl } from "./forward-target.ts";

describe("the target address", () => {
  it.each([
    ["http://localhost:3000/hook", "http://localhost:3000/hook"],
    ["localhost:3000/hook?a=1#part", "http://localhost:3000/hook?a=1"],
    ["127.0.0.1:80", "http://127.0.0.1/"],
    ["https://example.co.ke", "https://example.co.ke/"],
  ])("%s is parsed to %s", (text, url) => {
    expect(parseTargetUrl(text)).toBe(url);
  });

  it.each(["", "ftp://here", "http://me:word@here", "me@here:80", "http://", ":3000"])(
    "%j is a usage error",
    (text) => {
      expect(() => parseTargetUrl(text)).toThrow(/^--forward must be/);
    },
  );
});

describe("the signing secret", () => {
  it("is derived from the business's secret: the same for the same one, and usable", () => {
    const secret = deriveSigningSecret("sk_one");
    expect(deriveSigningSecret("sk_one")).toBe(secret);
    expect(deriveSigningSecret("sk_two")).not.toBe(secret);
    expect(parseSigningSecret(secret)).toBe(secret);
    expect(() => new Webhook(secret)).not.toThrow();
  });

  it.each(["", "whsec_", "whsec_c2hvcnQ=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_ü"])(
    "%j is a usage error",
    (text) => {
      expect(() => parseSigningSecret(text)).toThrow(/^--secret must be/);
    },
  );
});
