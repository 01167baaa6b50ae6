import { describe, expect, it } from "vitest";
import { routes } from "@malipo/contracts";
import { z } from "zod";
import { validate } from "./validate.ts";

function faultOf(schema: z.ZodType, value: unknown) {
  const result = validate(schema, value);
  return result.ok ? undefined : { text: result.error.text, fields: result.error.fields };
}

describe("validate", () => {
  const body = routes.createProduct.body;

  it("returns the parsed value and drops unknown fields", () => {
    expect(validate(body, { title: " Rice ", price: 120.5, colour: "red" })).toEqual({
      ok: true,
      value: { title: "Rice", price: 12_050 },
    });
  });

  it("names every invalid field, and the first one in the text", () => {
    expect(faultOf(body, { price: "120" })).toEqual({
      text: "title is required",
      fields: [
        { path: "title", problem: "is required" },
        { path: "price", problem: "must be a number" },
      ],
    });
  });

  it.each([
    [undefined, "The request body is required"],
    [[], "The request body must be an object"],
    [null, "The request body must be an object"],
    ["text", "The request body must be an object"],
  ])("describes the body %j as: %s", (value, text) => {
    expect(faultOf(body, value)?.text).toBe(text);
  });

  it.each([
    [{ title: "", price: 1 }, "title must not be empty"],
    [{ title: "x".repeat(201), price: 1 }, "title must be at most 200 characters long"],
    [{ title: "x", price: 1.005 }, "price must have at most two decimals"],
    [{ title: "x", price: -1 }, "price must not be negative"],
    [{ title: 7, price: 1 }, "title must be a string"],
    [{ title: "x", price: null }, "price must be a number"],
  ])("describes the field in %j as: %s", (value, text) => {
    expect(faultOf(body, value)?.text).toBe(text);
  });

  it("returns a whole sentence of the schema unchanged", () => {
    const customer = routes.createCustomer.body;
    expect(faultOf(customer, { name: "Asha", phone: "0712" })?.text).toBe(
      "Invalid phone number format",
    );
    expect(faultOf(customer, { name: "Asha", email: "at" })?.text).toBe(
      "email must be an email address",
    );
  });

  it("names the path of an invalid entry in a list", () => {
    const list = z.object({ items: z.array(z.object({ quantity: z.int() })).max(2) });
    expect(faultOf(list, { items: [{ quantity: 1 }, { quantity: 1.5 }] })?.fields).toEqual([
      { path: "items.1.quantity", problem: "must be a whole number" },
    ]);
    const three = Array.from({ length: 3 }, () => ({ quantity: 1 }));
    expect(faultOf(list, { items: three })?.text).toBe("items must be at most 2 entries");
  });
});
