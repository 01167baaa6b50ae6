import { randomBytes } from "node:crypto";
import { formatWebhookSecret, webhookSecretBytes } from "@malipo/core";
import type { Cipher } from "@malipo/platform";
import { type Endpoint, validSecrets } from "../domain/endpoint.ts";

/** Signing secrets, encrypted at rest and bound to their endpoint. */
export interface Secrets {
  /** A new secret, sealed. Its owner sees it once. */
  mint(endpointid: string): string;
  /** The secrets to sign with at this time, newest first. */
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
