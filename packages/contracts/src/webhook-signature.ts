import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { secondMs } from "@malipo/core";

const prefix = "whsec_";
const secretBytes = 32;

export function newSecret(): string {
  return prefix + randomBytes(secretBytes).toString("base64");
}

/** Made once for many signatures: that is most of what a signature costs. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(prefix.length), "base64"));
}

interface SignedMessage {
  readonly id: string;
  readonly body: string;
  readonly at: Date;
}

/** By the Standard Webhooks specification: over the id, the second of the attempt and the exact body. */
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

/** All that a receiver is told of an event beside its body. */
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
