import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome"] as const;

/** The Chromium of this machine; null where there is none. */
export const chromiumPath: string | null = find();

function find(): string | null {
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
  // Its sandbox needs rights that containers do not give.
  return chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] });
}
