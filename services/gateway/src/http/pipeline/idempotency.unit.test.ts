import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fingerprintOf, keyIdOf } from "./idempotency.ts";

it("two records of keys differ when the business, the route or the key differs", () => {
  const part = fc.string({ maxLength: 5 });
  fc.assert(
    fc.property(fc.tuple(part, part, part), fc.tuple(part, part, part), (one, other) => {
      fc.pre(one.join("\u0000") !== other.join("\u0000"));
      expect(keyIdOf(...one)).not.toBe(keyIdOf(...other));
    }),
  );
});

it("ids and fingerprints equal those that are stored already", () => {
  expect(keyIdOf("65f0a1b2c3d4e5f6a7b8c9d0", "invoice.create-invoice", "order 17")).toBe(
    "OMZesyejiva-BBEWIa9MYDwLxrXl559yeLYT-rCeQkQ",
  );
  const body = Buffer.from('{"title":"ü"}');
  expect(fingerprintOf("POST", "/business/invoice/create?note=ünï", body)).toBe(
    "6d8p91MzVyavbjg-_I-pCor6dXmaDVWfIwA5BsyvoU0",
  );
  expect(fingerprintOf("POST", "/a", undefined)).toBe(
    "GWR6dMQUBVHTmh5WC7zqdfU9eGt08hRRv2qxX5BPQ9Y",
  );
});

describe("the fingerprint of a request", () => {
  const body = Buffer.from('{"title":"x"}');

  it("is equal for the same method, URL and body", () => {
    expect(fingerprintOf("POST", "/a", body)).toBe(fingerprintOf("POST", "/a", Buffer.from(body)));
  });

  it.each([
    ["PATCH", "/a", body],
    ["POST", "/a?x=1", body],
    ["POST", "/a", Buffer.from('{"title":"y"}')],
    ["POST", "/a", undefined],
  ])("differs for %s %s %s", (method, url, other) => {
    expect(fingerprintOf(method, url, other)).not.toBe(fingerprintOf("POST", "/a", body));
  });
});
