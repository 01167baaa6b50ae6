import { allEvents, type WebhookView } from "@malipo/contracts";
import { addMs, dayMs, err, type Fault, fault, ok, type Result } from "@malipo/core";

export const endpointsMax = 20;
/** Old secrets that may be valid at one time; each ends a day after its replacement. */
const oldSecretsMax = 10;
const overlapMs = dayMs;
/** A deleted endpoint is kept as long as its deliveries. */
const retentionAfterDeletionMs = 30 * dayMs;
const disabledByOwner = "You disabled it";

export interface SealedSecret {
  /** Encrypted; only the signing code opens it. */
  readonly sealed: string;
  /** Set when a newer secret replaces it: both are valid until then. */
  readonly until: Date | null;
}

/** A receiver's URL and the events that its business wants there. The API calls it a webhook. */
export interface Endpoint {
  readonly id: string;
  readonly businessid: string;
  /** 1 to 20, unique in the business; null when deleted. */
  readonly slot: number | null;
  readonly url: string;
  /** The event types it gets, or all. */
  readonly types: readonly string[];
  readonly description: string | null;
  /** Newest first. */
  readonly secrets: readonly SealedSecret[];
  readonly enabled: boolean;
  readonly disabledat: Date | null;
  readonly disabledreason: string | null;
  readonly createdat: Date;
  readonly updatedat: Date;
  /** Set when deleted. */
  readonly expiresat: Date | null;
}

export interface EndpointDraft {
  readonly url: string;
  readonly events?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly enabled?: boolean | undefined;
}

export interface EndpointChange {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly description?: string | null | undefined;
  readonly enabled?: boolean | undefined;
}

export function newEndpoint(
  ids: { readonly id: string; readonly businessid: string; readonly slot: number },
  draft: EndpointDraft,
  sealed: string,
  now: Date,
): Endpoint {
  const endpoint = {
    ...ids,
    url: draft.url,
    types: draft.events ?? [allEvents],
    description: draft.description ?? null,
    secrets: [{ sealed, until: null }],
    enabled: true,
    disabledat: null,
    disabledreason: null,
    createdat: now,
    updatedat: now,
    expiresat: null,
  };
  return draft.enabled === false ? disableEndpoint(endpoint, disabledByOwner, now) : endpoint;
}

export function isDeleted({ expiresat }: Endpoint): boolean {
  return expiresat !== null;
}

export function subscribesTo({ types }: Pick<Endpoint, "types">, type: string): boolean {
  return types.includes(allEvents) || types.includes(type);
}

export function changeEndpoint(endpoint: Endpoint, change: EndpointChange, now: Date): Endpoint {
  const { url, events, description, enabled } = change;
  const changed = {
    ...endpoint,
    url: url ?? endpoint.url,
    types: events ?? endpoint.types,
    description: description === undefined ? endpoint.description : description,
    updatedat: now,
  };
  if (enabled === undefined || enabled === endpoint.enabled) return changed;
  if (!enabled) return disableEndpoint(changed, disabledByOwner, now);
  return { ...changed, enabled: true, disabledat: null, disabledreason: null };
}

export function disableEndpoint(endpoint: Endpoint, reason: string, now: Date): Endpoint {
  if (!endpoint.enabled) return endpoint;
  return {
    ...endpoint,
    enabled: false,
    disabledat: now,
    disabledreason: reason,
    updatedat: now,
  };
}

export function deleteEndpoint(endpoint: Endpoint, now: Date): Endpoint {
  return {
    ...disableEndpoint(endpoint, "You deleted it", now),
    slot: null,
    expiresat: addMs(now, retentionAfterDeletionMs),
    updatedat: now,
  };
}

export function rotateSecret(
  endpoint: Endpoint,
  sealed: string,
  now: Date,
): Result<Endpoint, Fault> {
  const [newest, ...older] = validSecrets(endpoint, now);
  if (older.length >= oldSecretsMax) {
    return err(fault("conflict", { text: "Rotated too often today; the old secrets are in use" }));
  }
  const replaced = newest ? [{ ...newest, until: addMs(now, overlapMs) }] : [];
  return ok({
    ...endpoint,
    secrets: [{ sealed, until: null }, ...replaced, ...older],
    updatedat: now,
  });
}

/** The secrets that a receiver may verify with, newest first. */
export function validSecrets({ secrets }: Endpoint, now: Date): readonly SealedSecret[] {
  return secrets.filter(({ until }) => until === null || until > now);
}

export function viewEndpoint(endpoint: Endpoint, failingsince: Date | null): WebhookView {
  return {
    _id: endpoint.id,
    url: endpoint.url,
    events: endpoint.types as WebhookView["events"],
    description: endpoint.description,
    enabled: endpoint.enabled,
    disabledat: endpoint.disabledat?.toISOString() ?? null,
    disabledreason: endpoint.disabledreason,
    failingsince: failingsince?.toISOString() ?? null,
    createdat: endpoint.createdat.toISOString(),
    updatedat: endpoint.updatedat.toISOString(),
  };
}
