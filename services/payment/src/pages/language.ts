import { type Language, languages } from "@malipo/contracts";

/** The chosen language, else the one that the browser prefers among ours, else English. */
export function chooseLanguage(chosen: Language | undefined, acceptLanguage: string): Language {
  if (chosen) return chosen;
  const wanted = acceptLanguage
    .split(",")
    .map((each) => {
      const [tag = "", ...parameters] = each.trim().toLowerCase().split(";");
      const quality = parameters.map((text) => /^\s*q=([\d.]+)$/.exec(text)?.[1]).find(Boolean);
      return { language: tag.split("-")[0], quality: Number(quality ?? 1) };
    })
    .toSorted((a, b) => b.quality - a.quality);
  for (const { language, quality } of wanted) {
    const known = languages.find((each) => each === language);
    if (known && quality > 0) return known;
  }
  return "en";
}
