import { expect, it } from "vitest";
import { changedFields } from "./stored-fields.ts";

const items = [{ quantity: 1 }];

it("changedFields returns the fields with another value and the new fields", () => {
  const before = { status: "unpaid", items, duedate: new Date(5), paid: 0, remark: null };
  const after = { ...before, status: "paid", duedate: new Date(5), paid: -0, linked: true };
  expect(changedFields(before, after)).toEqual({ status: "paid", paid: -0, linked: true });
});

it("changedFields takes an equal but new object for a change", () => {
  expect(changedFields({ items, at: new Date(1) }, { items: [...items], at: new Date(2) })).toEqual(
    {
      items,
      at: new Date(2),
    },
  );
  expect(changedFields({ at: new Date(1) }, { at: null })).toEqual({ at: null });
});
