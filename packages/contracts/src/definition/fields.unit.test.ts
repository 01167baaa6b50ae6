import { describe, expect, it } from "vitest";
import { description, phone, price, title } from "./fields.ts";

describe("phone", () => {
  it.each(["254712345678"])("accepts %s", (text) => {
    expect(phone.parse(text)).toBe(text);
  });

  it.each([
    "0712345678",
    "+254712345678",
    "25471234567",
    "2547123456789",
    "254 712345678",
    254712345678,
  ])("rejects %s with the text of the public interface", (text) => {
    expect(phone.safeParse(text).error?.issues[0]?.message).toBe("Invalid phone number format");
  });
});

describe("price", () => {
  it("is parsed from shillings to cents", () => {
    expect(price.parse(1250.5)).toBe(125_050);
  });

  it.each([-0.01, 1.005, "10", null, 1e15])("rejects %j", (value) => {
    expect(price.safeParse(value).success).toBe(false);
  });
});

describe("title and description", () => {
  it("title accepts every language and rejects control characters", () => {
    expect(title.parse(" Chai ya maziwa ☕ نص ")).toBe("Chai ya maziwa ☕ نص");
    for (const text of ["a\u0000b", "a\u0001b", "line\nline", "\u007f", "\ud800x", "x\udc00"]) {
      expect({ text, isAccepted: title.safeParse(text).success }).toEqual({
        text,
        isAccepted: false,
      });
    }
  });

  it("description accepts line breaks and tabs, and rejects other control characters", () => {
    expect(description.parse("one\r\ntwo\tthree")).toBe("one\r\ntwo\tthree");
    for (const text of ["a\u0001b", "\udc00\ud800"]) {
      expect({ text, isAccepted: description.safeParse(text).success }).toEqual({
        text,
        isAccepted: false,
      });
    }
  });
});
