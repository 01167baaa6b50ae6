import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CommandError, usageError } from "../command-error.ts";
import type { Audience } from "./audience.ts";

/** The address and token of one audience's API. */
export interface Location {
  readonly audience: Audience;
  readonly url: string;
  readonly token: string;
}

export interface LocationSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
}

const noSystemMessage =
  "No system found: start the local one with npm start, or say where it is with --url and --token.";

/**
 * Takes the flags, else the environment variables, else the local system. An address from outside
 * needs a token from outside: the local token is never sent to another address.
 */
export function findLocation(
  flags: { readonly url?: string | undefined; readonly token?: string | undefined },
  { env, workingFolder }: LocationSources,
  audience: Audience,
): Location {
  const url = flags.url ?? (env[audience.env.url] || undefined);
  const token = flags.token ?? (env[audience.env.token] || undefined);
  if (url !== undefined && token !== undefined) return validateLocation({ audience, url, token });
  if (url !== undefined) {
    throw usageError(`${url} needs a token: give --token or ${audience.env.token}.`);
  }
  if (token !== undefined) {
    throw usageError(`The token needs an address: give --url or ${audience.env.url}.`);
  }
  return validateLocation(findLocalSystem(workingFolder, audience));
}

function validateLocation(location: Location): Location {
  const url = URL.canParse(location.url) ? new URL(location.url) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw usageError(`--url must be an address like http://127.0.0.1:9090.`);
  }
  if (!/^[\x21-\x7E]+$/.test(location.token)) {
    throw usageError("--token must be printable ASCII characters without spaces.");
  }
  return { ...location, url: `${url.origin}${url.pathname.replace(/\/+$/, "")}` };
}

/** Searches the folder and its parents, up to the root of the workspace. */
function findLocalSystem(folder: string, audience: Audience): Location {
  const text = readFileIfExists(join(folder, ".local/environment.json"));
  if (text !== undefined) return readLocalLocation(text, audience);
  if (isWorkspaceRoot(folder) || dirname(folder) === folder) {
    throw new CommandError("unreachable", noSystemMessage);
  }
  return findLocalSystem(dirname(folder), audience);
}

function readLocalLocation(text: string, audience: Audience): Location {
  const { url: urlField, token: tokenField } = audience.localFields;
  const { [urlField]: url, [tokenField]: token } = parseObject(text);
  if (typeof url !== "string" || typeof token !== "string") {
    throw new CommandError(
      "unreachable",
      ".local/environment.json is damaged: npm start creates it again.",
    );
  }
  return { audience, url, token };
}

function isWorkspaceRoot(folder: string): boolean {
  const text = readFileIfExists(join(folder, "package.json"));
  return text !== undefined && "workspaces" in parseObject(text);
}

function readFileIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Returns an empty object when the text is not a JSON object. */
function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
