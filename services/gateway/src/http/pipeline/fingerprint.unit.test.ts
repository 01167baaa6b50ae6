import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fingerprintOf, readKey, recordIdOf } from "./fingerprint.ts";

describe("an idempotency key", () => {
  it.each(["a", "order 17", "x".repeat(255), "8e03978e-40d5-43e8-bc93-6894a57f9324"])(
    "may be %j, bare or quoted",
    (key) => {
      expect(readKey(key)).toEqual({ ok: true, value: key });
      expect(readKey(`"${key}"`)).toEqual({ ok: true, value: key });
    },
  );

  it.each(["", '""', "x".repeat(256), "ключ", "a\tb"])("may not be %j", (key) => {
    expect(readKey(key)).toMatchObject({
      ok: false,
      error: { status: 400, code: "invalid_idempotency_key" },
    });
  });

  it("counts for its business and its route only", () => {
    const part = fc.string({ maxLength: 5 });
    fc.assert(
      fc.property(fc.tuple(part, part, part), fc.tuple(part, part, part), (one, other) => {
        fc.pre(one.join("\u0000") !== other.join("\u0000"));
        expect(recordIdOf(...one)).not.toBe(recordIdOf(...other));
      }),
    );
  });
});

it("finds what is kept already", () => {
  expect(recordIdOf("65f0a1b2c3d4e5f6a7b8c9d0", "invoice.create-invoice", "order 17")).toBe(
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

describe("a fingerprint", () => {
  const body = Buffer.from('{"title":"x"}');

  it("is the same for the same request, whatever else", () => {
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
