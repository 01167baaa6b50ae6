import { describe, expect, it } from "vitest";
import { pageQuery } from "./paging.ts";

describe("pageQuery", () => {
  it("reads an empty query as the first page of 10", () => {
    expect(pageQuery.parse({})).toEqual({ page: 1, limit: 10 });
  });

  it("reads a limit above 100 as 100", () => {
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
  ])("rejects %j", (query) => {
    expect(pageQuery.safeParse(query).success).toBe(false);
  });

  it("accepts pages up to record 100,000 and rejects later ones", () => {
    expect(pageQuery.safeParse({ page: "1000", limit: "100" }).success).toBe(true);
    expect(pageQuery.safeParse({ page: "1001", limit: "100" }).success).toBe(false);
  });

  it.each([
    [{ page: "ten" }, ["must be a whole number, at least 1"]],
    [{ limit: "ten" }, ["must be a whole number, at least 1"]],
    [{ page: "9".repeat(12) }, [expect.stringMatching(/^reaches beyond record 100000;/)]],
  ])("reports only the problem that applies to %j", (query, problems) => {
    const messages = pageQuery.safeParse(query).error?.issues.map(({ message }) => message);
    expect(messages).toEqual(problems);
  });
});
