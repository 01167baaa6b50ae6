import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Door } from "./audience.ts";
import { Problem, usageProblem } from "../command-error.ts";

/** Where a door is, and what it asks for. */
export interface Location {
  readonly door: Door;
  readonly url: string;
  readonly token: string;
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
}

const nowhere =
  "No system found: start the local one with npm start, or say where it is with --url and --token.";

/** An address and a token belong together: a local token is never sent to an address given by hand. */
export function locate(
  flags: { readonly url?: string | undefined; readonly token?: string | undefined },
  { env, folder }: Surroundings,
  door: Door,
): Location {
  const url = flags.url ?? (env[door.env.url] || undefined);
  const token = flags.token ?? (env[door.env.token] || undefined);
  if (url !== undefined && token !== undefined) return checked({ door, url, token });
  if (url !== undefined) {
    throw usageProblem(`${url} needs a token: give --token or ${door.env.token}.`);
  }
  if (token !== undefined) {
    throw usageProblem(`The token needs an address: give --url or ${door.env.url}.`);
  }
  return checked(localSystem(folder, door));
}

function checked(location: Location): Location {
  const url = URL.canParse(location.url) ? new URL(location.url) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw usageProblem(`--url must be an address like http://127.0.0.1:9090.`);
  }
  if (!/^[\x21-\x7E]+$/.test(location.token)) {
    throw usageProblem("--token must be printable ASCII characters without spaces.");
  }
  return { ...location, url: `${url.origin}${url.pathname.replace(/\/+$/, "")}` };
}

/** From the folder upwards, not beyond the workspace it lies in. */
function localSystem(folder: string, door: Door): Location {
  const text = readIfThere(join(folder, ".local/environment.json"));
  if (text !== undefined) return readEnvironment(text, door);
  if (isWorkspace(folder) || dirname(folder) === folder) throw new Problem("unreachable", nowhere);
  return localSystem(dirname(folder), door);
}

function readEnvironment(text: string, door: Door): Location {
  const { [door.local.url]: url, [door.local.token]: token } = parsed(text);
  if (typeof url !== "string" || typeof token !== "string") {
    throw new Problem(
      "unreachable",
      ".local/environment.json is damaged: npm start makes it anew.",
    );
  }
  return { door, url, token };
}

function isWorkspace(folder: string): boolean {
  const text = readIfThere(join(folder, "package.json"));
  return text !== undefined && "workspaces" in parsed(text);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
