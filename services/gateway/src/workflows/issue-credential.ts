import { randomBytes } from "node:crypto";
import { newId } from "@malipo/platform";
import { createSecret, hashSecret } from "../credentials/secret.ts";
import type { Deps } from "../deps.ts";
import { type Credential, newCredential } from "../domain/credential.ts";

/** Stores a new credential. Its secret is returned here only: the store keeps a hash of it. */
export async function issueCredential(
  { credentials, mode }: Deps,
  businessid: string,
  now: Date,
): Promise<{ credential: Credential; secret: string }> {
  const secret = createSecret(mode, randomBytes(32));
  const credential = newCredential(newId(), businessid, now);
  await credentials.insert(credential, hashSecret(secret));
  return { credential, secret };
}
