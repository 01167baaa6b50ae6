import { addMs, dayMs, err, type Fault, fault, ok, type Result, secondMs } from "@malipo/core";

const keyLengthMax = 255;
const lifetimeMs = dayMs;
/** An attempt ends by its deadline; only after that may another attempt start. */
const leaseAfterDeadlineMs = 2 * secondMs;

/**
 * One attempt to execute the request of a key. At most one attempt owns the key at a time: its lease
 * keeps others out, and after a takeover its answer is no longer stored.
 */
export interface KeyAttempt {
  /** The id of the key's record. */
  readonly id: string;
  readonly attemptid: string;
  /** Travels with the request. The record that it creates or changes remembers it. */
  readonly operationid: string;
  /** When the key is forgotten. */
  readonly expiresat: Date;
}

/** The record of an idempotency key: its latest attempt, fingerprint and lease. */
export interface KeyRecord extends KeyAttempt {
  /** The fingerprint of the request that the key belongs to. */
  readonly fingerprint: string;
  readonly leaseuntil: Date;
}

export interface NewKey {
  readonly id: string;
  readonly attemptid: string;
  readonly operationid: string;
  readonly fingerprint: string;
}

export function newKeyRecord(key: NewKey, deadline: Date, now: Date): KeyRecord {
  return {
    ...key,
    leaseuntil: addMs(deadline, leaseAfterDeadlineMs),
    expiresat: addMs(now, lifetimeMs),
  };
}

/** The state of a key whose record exists. It decides how the next request continues. */
export type KeyState =
  /** The key is forgotten: the request starts anew. */
  | { readonly kind: "expired" }
  /** The key belongs to another request. */
  | { readonly kind: "mismatch" }
  /** An attempt holds the lease. */
  | { readonly kind: "running"; readonly retryAfterSeconds: number }
  /** The lease has ended. Without an answer, the request resumes under the same operation id. */
  | { readonly kind: "resumable" };

export function stateOfKey(key: KeyRecord, fingerprint: string, now: Date): KeyState {
  if (key.expiresat <= now) return { kind: "expired" };
  if (key.fingerprint !== fingerprint) return { kind: "mismatch" };
  const leaseLeftMs = key.leaseuntil.getTime() - now.getTime();
  if (leaseLeftMs <= 0) return { kind: "resumable" };
  return { kind: "running", retryAfterSeconds: Math.ceil(leaseLeftMs / secondMs) };
}

/**
 * What a response does to its key. Successes and a provider's definite refusals (422) are stored.
 * Other refusals changed nothing, so they free the key. After a 5xx the request may or may not have
 * been executed, so the next attempt resumes it.
 */
export function effectOnKey(status: number): "store" | "free" | "resume" {
  if (status < 400 || status === 422) return "store";
  return status >= 500 ? "resume" : "free";
}

/** Reads the key from its header, bare or in quotes: 1 to 255 printable ASCII characters. */
export function readKey(header: string): Result<string, Fault> {
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (key.length >= 1 && key.length <= keyLengthMax && /^[\x20-\x7e]+$/.test(key)) return ok(key);
  return err(fault("invalid_idempotency_key"));
}
