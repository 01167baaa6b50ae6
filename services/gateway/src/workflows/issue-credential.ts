import { randomBytes } from "node:crypto";
import { newId } from "@malipo/platform";
import { type Credential, newCredential } from "../domain/credential.ts";
import type { Deps } from "../deps.ts";
import { hashSecret, mintSecret } from "../credentials/secret.ts";

/** A new credential and its secret, which nobody will be shown again. */
export async function issueSecret(
  { credentials, mode }: Deps,
  businessid: string,
  now: Date,
): Promise<{ credential: Credential; secret: string }> {
  const secret = mintSecret(mode, randomBytes(32));
  const credential = newCredential(newId(), businessid, now);
  await credentials.insert(credential, hashSecret(secret));
  return { credential, secret };
}
