import type { KeyView } from "@malipo/contracts";

export interface Credential {
  readonly id: string;
  readonly businessid: string;
  readonly createdat: Date;
  readonly lastusedat: Date | null;
  /** Set by a rotation: the secret works until this time. */
  readonly expiresat: Date | null;
  readonly revokedat: Date | null;
}

export function newCredential(id: string, businessid: string, now: Date): Credential {
  return { id, businessid, createdat: now, lastusedat: null, expiresat: null, revokedat: null };
}

export function credentialStatus(
  { expiresat, revokedat }: Credential,
  now: Date,
): KeyView["status"] {
  if (revokedat) return "revoked";
  if (!expiresat) return "active";
  return expiresat > now ? "expiring" : "expired";
}

export function viewCredential(credential: Credential, now: Date): KeyView {
  return {
    _id: credential.id,
    businessid: credential.businessid,
    status: credentialStatus(credential, now),
    createdat: credential.createdat.toISOString(),
    lastusedat: credential.lastusedat?.toISOString() ?? null,
    expiresat: credential.expiresat?.toISOString() ?? null,
    revokedat: credential.revokedat?.toISOString() ?? null,
  };
}
