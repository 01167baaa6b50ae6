import { expect, it } from "vitest";
import { err, ok, type Result } from "./result.ts";

it("a result is a value or an error, as its field ok says", () => {
  const results: Result<number, string>[] = [ok(1), err("no")];
  expect(results.map((result) => (result.ok ? result.value : result.error))).toEqual([1, "no"]);
});
