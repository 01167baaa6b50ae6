import { expect, test } from "vitest";
import { parseStartTicks } from "./process-identity.ts";

const fields = "S 1 1 1 0 -1 4194304 1 0 0 0 1 2 0 0 20 0 11 0 987654 1 2 3";

test.each(["node", "a (strange) name", "((("])(
  "parseStartTicks reads the start time of a program named %s",
  (name) => {
    expect(parseStartTicks(`42 (${name}) ${fields}`)).toBe("987654");
  },
);

test("parseStartTicks returns undefined for a zombie", () => {
  expect(parseStartTicks(`42 (node) ${fields.replace("S", "Z")}`)).toBeUndefined();
});
