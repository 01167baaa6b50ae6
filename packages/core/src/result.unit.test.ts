import { expect, it } from "vitest";
import { err, ok, type Result } from "./result.ts";

it("tells a value from a refusal by one field", () => {
  const results: Result<number, string>[] = [ok(1), err("no")];
  expect(results.map((result) => (result.ok ? result.value : result.error))).toEqual([1, "no"]);
});
