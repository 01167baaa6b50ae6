import { MongoServerError } from "mongodb";
import { expect, it } from "vitest";
import { describeError } from "./describe-error.ts";

it("describes a MongoDB error by name and code, without the values it quotes", () => {
  const message = 'E11000 duplicate key error dup key: { phone: "254712345678" }';
  const described = describeError(new MongoServerError({ message, code: 11_000 }));
  expect(described.message).toBe("MongoServerError 11000");
  expect(described.stack).toMatch(/describe-error\.unit\.test/);
  expect(JSON.stringify(described)).not.toContain("254712345678");
});

it("describes any other error by name, message and stack", () => {
  const described = describeError(new RangeError("too far"));
  expect(described.message).toBe("RangeError: too far");
  expect(described.stack).toMatch(/^\s+at .*describe-error\.unit\.test/);
  expect(describeError("no error at all").message).toBe("no error at all");
});
