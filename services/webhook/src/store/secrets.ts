import { randomBytes } from "node:crypto";
import { formatWebhookSecret, webhookSecretBytes } from "@malipo/core";
import type { Cipher } from "@malipo/platform";
import { type Endpoint, validSecrets } from "../domain/endpoint.ts";

/** Signing secrets, encrypted at rest and bound to their endpoint. */
export interface Secrets {
  /** A new one: shown to its owner once, kept sealed. */
  mint(endpointid: string): string;
  /** What is signed with at this moment, newest first. */
  open(endpoint: Endpoint, now: Date): readonly string[];
}

export function createSecrets(cipher: Cipher): Secrets {
  return {
    mint: (endpointid) => {
      const secret = formatWebhookSecret(randomBytes(webhookSecretBytes));
      const sealed = cipher.encrypt(Buffer.from(secret), endpointid);
      return Buffer.from(sealed).toString("base64");
    },
    open: (endpoint, now) =>
      validSecrets(endpoint, now).map(({ sealed }) =>
        Buffer.from(cipher.decrypt(Buffer.from(sealed, "base64"), endpoint.id)).toString(),
      ),
  };
}
