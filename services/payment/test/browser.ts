import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome"] as const;

/** The path of Chromium; null when this machine has none. */
export const chromiumPath: string | null = findChromium();

function findChromium(): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const candidates = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return candidates.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export async function startBrowser(): Promise<Browser> {
  // Chromium's sandbox needs rights that containers do not give.
  return chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] });
}
