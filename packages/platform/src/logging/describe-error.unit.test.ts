import { MongoServerError } from "mongodb";
import { expect, it } from "vitest";
import { describeError } from "./describe-error.ts";

it("says of a database's error which one it is, and none of the values it quotes", () => {
  const message = 'E11000 duplicate key error dup key: { phone: "254712345678" }';
  const described = describeError(new MongoServerError({ message, code: 11_000 }));
  expect(described.message).toBe("MongoServerError 11000");
  expect(described.stack).toMatch(/describe-error\.unit\.test/);
  expect(JSON.stringify(described)).not.toContain("254712345678");
});

it("says of any other error all there is to say, and where it was", () => {
  const described = describeError(new RangeError("too far"));
  expect(described.message).toBe("RangeError: too far");
  expect(described.stack).toMatch(/^\s+at .*describe-error\.unit\.test/);
  expect(describeError("no error at all").message).toBe("no error at all");
});
