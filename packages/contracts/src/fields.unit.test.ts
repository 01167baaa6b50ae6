import { describe, expect, it } from "vitest";
import { description, pageQuery, phone, price, title } from "./fields.ts";

describe("pageQuery", () => {
  it("is the first ten without a word", () => {
    expect(pageQuery.parse({})).toEqual({ page: 1, limit: 10 });
  });

  it("caps a limit above 100 instead of refusing it", () => {
    expect(pageQuery.parse({ page: "3", limit: "5000" })).toEqual({ page: 3, limit: 100 });
    const beyondNumbers = "9".repeat(400);
    expect(pageQuery.parse({ limit: beyondNumbers })).toEqual({ page: 1, limit: 100 });
  });

  it.each([
    { page: "0" },
    { page: "-1" },
    { page: "1.5" },
    { page: "" },
    { page: "ten" },
    { limit: "0" },
    { page: ["1", "2"] },
    { page: "99999999999999999999" },
  ])("refuses %j", (query) => {
    expect(pageQuery.safeParse(query).success).toBe(false);
  });

  it("reaches to record 100,000 and no further", () => {
    expect(pageQuery.safeParse({ page: "1000", limit: "100" }).success).toBe(true);
    expect(pageQuery.safeParse({ page: "1001", limit: "100" }).success).toBe(false);
  });

  it.each([
    [{ page: "ten" }, ["must be a whole number, at least 1"]],
    [{ limit: "ten" }, ["must be a whole number, at least 1"]],
    [{ page: "9".repeat(12) }, [expect.stringMatching(/^reaches beyond record 100000;/)]],
  ])("says of %j only what is true", (query, problems) => {
    const said = pageQuery.safeParse(query).error?.issues.map(({ message }) => message);
    expect(said).toEqual(problems);
  });
});

describe("phone", () => {
  it.each(["254712345678"])("takes %s", (text) => {
    expect(phone.parse(text)).toBe(text);
  });

  it.each([
    "0712345678",
    "+254712345678",
    "25471234567",
    "2547123456789",
    "254 712345678",
    254712345678,
  ])("refuses %s with the interface's words", (text) => {
    expect(phone.safeParse(text).error?.issues[0]?.message).toBe("Invalid phone number format");
  });
});

describe("price", () => {
  it("is cents inside", () => {
    expect(price.parse(1250.5)).toBe(125_050);
  });

  it.each([-0.01, 1.005, "10", null, 1e15])("refuses %j", (value) => {
    expect(price.safeParse(value).success).toBe(false);
  });
});

describe("texts", () => {
  it("take every language and no control character", () => {
    expect(title.parse(" Chai ya maziwa ☕ نص ")).toBe("Chai ya maziwa ☕ نص");
    for (const text of ["a\u0000b", "a\u0001b", "line\nline", "\u007f", "\ud800x", "x\udc00"]) {
      expect({ text, taken: title.safeParse(text).success }).toEqual({ text, taken: false });
    }
  });

  it("may have lines where they are long", () => {
    expect(description.parse("one\r\ntwo\tthree")).toBe("one\r\ntwo\tthree");
    for (const text of ["a\u0001b", "\udc00\ud800"]) {
      expect({ text, taken: description.safeParse(text).success }).toEqual({ text, taken: false });
    }
  });
});
