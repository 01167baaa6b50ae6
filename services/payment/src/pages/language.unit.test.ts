import { describe, expect, it } from "vitest";
import { languageOf } from "./language.ts";

describe("the language of a page", () => {
  it.each([
    ["", "en"],
    ["sw", "sw"],
    ["sw-KE,sw;q=0.9,en;q=0.8", "sw"],
    ["en-KE,en;q=0.9,sw;q=0.8", "en"],
    ["en;q=0.5,sw;q=0.9", "sw"],
    ["fr-FR,fr;q=0.9", "en"],
    ["de,sw;q=0.1", "sw"],
    ["sw;q=0", "en"],
    ["*", "en"],
    [";;;q=,,", "en"],
  ])("of %j is %s", (accepted, language) => {
    expect(languageOf(undefined, accepted)).toBe(language);
  });

  it("is the one that was chosen", () => {
    expect(languageOf("en", "sw")).toBe("en");
  });
});
