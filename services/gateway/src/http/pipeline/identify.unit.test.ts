import { expect, it } from "vitest";
import { requestIdOf } from "./identify.ts";

const idFor = (given: string) => requestIdOf({ headers: { "x-request-id": given } });

it.each(["order-2026.11", "a".repeat(8), "a".repeat(100)])(
  "a safe request id is kept: %s",
  (given) => {
    expect(idFor(given)).toBe(given);
  },
);

it.each(["", "a".repeat(7), "a".repeat(101), "<script>", "line\nbreak", "two words"])(
  "an unsafe request id is replaced: %j",
  (given) => {
    expect(idFor(given)).toMatch(/^req_[0-9a-f-]{36}$/);
  },
);
