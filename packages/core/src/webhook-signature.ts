import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { assert } from "./assert.ts";
import { secondMs } from "./time.ts";

// Signatures follow the Standard Webhooks specification: https://www.standardwebhooks.com

const prefix = "whsec_";

/** The number of random bytes in a secret. */
export const webhookSecretBytes = 32;

/** Writes random bytes as a signing secret: `whsec_` and base64. */
export function formatWebhookSecret(random: Uint8Array): string {
  assert(random.length === webhookSecretBytes, `a secret has ${webhookSecretBytes} random bytes`);
  return prefix + Buffer.from(random).toString("base64");
}

/** Creates the key once for many signatures, because that is most of the cost of a signature. */
export function createSigningKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(prefix.length), "base64"));
}

interface SignedMessage {
  readonly id: string;
  readonly body: string;
  /** When this attempt is sent. */
  readonly at: Date;
}

/** Signs the id, the second of the attempt and the exact body, once with each key. */
export function signatureHeaders(
  { id, body, at }: SignedMessage,
  keys: readonly KeyObject[],
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / secondMs));
  const signatures = keys.map(
    (key) =>
      `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`,
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

interface DeliveredEvent extends SignedMessage {
  readonly resourceid: string;
  readonly sequence: number;
}

/** All headers of a webhook request, the signature included. */
export function deliveryHeaders(
  event: DeliveredEvent,
  keys: readonly KeyObject[],
): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "Malipo-Webhook/1",
    ...signatureHeaders(event, keys),
    "webhook-resource": event.resourceid,
    "webhook-sequence": String(event.sequence),
  };
}
