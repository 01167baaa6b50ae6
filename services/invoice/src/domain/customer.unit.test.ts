import { describe, expect, it } from "vitest";
import { changeCustomer, newCustomer, viewCustomer } from "./customer.ts";

const id = "507f1f77bcf86cd799439011";
const businessid = "507f1f77bcf86cd799439012";
const now = new Date("2026-11-21T08:00:00Z");
const later = new Date("2026-11-21T09:00:00Z");
const asha = newCustomer(
  id,
  businessid,
  { name: "Asha", email: "asha@example.co.ke", phone: "254712345678" },
  now,
);

describe("a customer", () => {
  it("is created without an email and a phone", () => {
    expect(viewCustomer(newCustomer(id, businessid, { name: "Asha" }, now))).toEqual({
      _id: id,
      name: "Asha",
      email: null,
      phone: null,
      createdat: "2026-11-21T08:00:00.000Z",
      updatedat: "2026-11-21T08:00:00.000Z",
    });
  });

  it("changes only in the fields that a PATCH sends", () => {
    expect(changeCustomer(asha, { name: "Asha Mwangi" }, later)).toEqual({
      ...asha,
      name: "Asha Mwangi",
      updatedat: later,
    });
  });

  it("loses the email and the phone that a PATCH sends as null", () => {
    const changed = changeCustomer(asha, { email: null, phone: null }, later);
    expect(changed).toMatchObject({ name: "Asha", email: null, phone: null });
  });
});
