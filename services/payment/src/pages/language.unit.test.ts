import { describe, expect, it } from "vitest";
import { chooseLanguage } from "./language.ts";

describe("chooseLanguage", () => {
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
  ])("reads the header %j as %s", (accepted, language) => {
    expect(chooseLanguage(undefined, accepted)).toBe(language);
  });

  it("prefers the chosen language to the header", () => {
    expect(chooseLanguage("en", "sw")).toBe("en");
  });
});
