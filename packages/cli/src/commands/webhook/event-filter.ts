import { createHmac } from "node:crypto";
import { publicEventTypes } from "@malipo/contracts";
import { usageProblem } from "../../command-error.ts";
import { parseChoice } from "../../command-line/values.ts";

const families = [...new Set(publicEventTypes.map((type) => `${type.split(".")[0]}.*`))];

/** Types like `invoice.paid` or all of a family like `invoice.*`, separated by commas. */
export function parseEventChoice(text: string): (type: string) => boolean {
  const choices = text
    .split(",")
    .map((part) => parseChoice("--events", part.trim(), ["*", ...families, ...publicEventTypes]));
  return (type) =>
    choices.some((choice) =>
      choice.endsWith("*") ? type.startsWith(choice.slice(0, -1)) : type === choice,
    );
}

/** Where the developer's own program listens; `localhost:3000/hook` will do. */
export function parseTarget(text: string): string {
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `http://${text}`);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw usageProblem("--forward must be an address like http://localhost:3000/hook.");
  }
  url.hash = "";
  return url.href;
}

export function parseSigningSecret(text: string): string {
  const bytes = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  const length = Buffer.from(bytes ?? "", "base64").length;
  if (length < 24 || length > 64) {
    throw usageProblem("--secret must be whsec_ and 24 to 64 bytes in base64.");
  }
  return text;
}

/** Made from the business's secret, so that it is the same at every start and gives nothing away. */
export function usualSigningSecret(token: string): string {
  const key = createHmac("sha256", token).update("malipo webhook listen").digest("base64");
  return `whsec_${key}`;
}
