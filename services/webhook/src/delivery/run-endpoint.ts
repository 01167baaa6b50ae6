import { createSigningKey, ok } from "@malipo/core";
import type { AttemptResult, DueDelivery } from "../store/delivery-document.ts";
import { disableEndpoint, type Endpoint, isDeleted } from "../domain/endpoint.ts";
import { afterFailure, healthy, isGivenUp } from "../domain/health.ts";
import type { Answer } from "../http/send.ts";
import { attempt } from "./attempt.ts";
import {
  attemptsAllowed,
  type HeldEndpoint,
  isIdle,
  isLookDue,
  isSeenLately,
  type Serving,
} from "../domain/leased-endpoint.ts";
import { leaveOffers } from "./offers.ts";

const readAtOnceMax = 100;
/** What is due so soon is waited for. */
const soonMs = 5_000;
/** Timers and the clock do not agree to the millisecond. */
const clockMarginMs = 5;
const storeRetryMs = 500;
/** With these a receiver speaks for all that is sent to it. */
const busyStatuses = new Set<number | null>([429, 503]);

/**
 * Does whatever can be done for an endpoint at this moment: begins attempts, looks for more, or
 * gives it back. Called after everything that may have changed what that is.
 */
export function serve(serving: Serving, held: HeldEndpoint): void {
  if (held.hasEnded || held.isReleasing) return;
  const allowed = attemptsAllowed(held, serving.clock());
  if (allowed === 0) {
    held.fresh = [];
    leaveOffers(held);
    if (held.busy.size === 0 && !held.isLooking) void giveBack(serving, held);
    return;
  }
  if (held.underWay < allowed && !held.isLooking && isLookDue(held)) void look(serving, held);
  // What is offered need not wait for what is read.
  if (held.isLooking) return isSeenLately(held) ? beginOffers(serving, held, allowed) : undefined;
  while (held.endpoint && held.underWay < allowed) {
    const delivery = held.fresh.shift();
    if (!delivery) break;
    void deliver(serving, held, held.endpoint, delivery, (result) =>
      serving.recorder.record(result),
    );
  }
  beginOffers(serving, held, allowed);
  if (held.underWay < allowed && isLookDue(held)) void look(serving, held);
}

/** What was read comes before: it has waited longer. */
function beginOffers(serving: Serving, held: HeldEndpoint, allowed: number): void {
  while (held.endpoint && held.underWay < allowed) {
    const offer = held.offers.shift();
    if (!offer) return;
    offer.isBegun = true;
    offer.onBegun();
    if (held.isLooking) held.begunMeanwhile.add(offer.delivery.id);
    void deliver(serving, held, held.endpoint, offer.delivery, (result) => {
      const written = serving.recorder.recordFirst(result);
      offer.onOutcome();
      return written;
    });
  }
}

/** There may be something new. */
export function stir(serving: Serving, held: HeldEndpoint): void {
  held.isStirred = true;
  held.stirs += 1;
  serve(serving, held);
}

/**
 * Gives it back if there has been nothing to do for a while: the next event is often near. What
 * comes due meanwhile is for whoever takes it then.
 */
export function restIfIdle(serving: Serving, held: HeldEndpoint, lingerMs: number): void {
  if (!isIdle(held)) return;
  const isMoreDue = held.laterAt !== null && held.laterAt <= serving.clock();
  if (isMoreDue || performance.now() - held.idleSinceMs >= lingerMs) {
    void giveBack(serving, held);
  }
}

async function look(serving: Serving, held: HeldEndpoint): Promise<void> {
  const { clock, deliveries, log } = serving;
  const { endpointid } = held;
  held.isLooking = true;
  held.begunMeanwhile.clear();
  held.isStirred = false;
  held.lookedAtMs = performance.now();
  try {
    // The mark comes first: what is marked later is looked for again before it is given back.
    await readEndpoint(serving, held);
    if (attemptsAllowed(held, clock()) > 0) {
      const request = { except: [...held.busy], limit: readAtOnceMax };
      const now = clock();
      const [due, laterAt] = await Promise.all([
        deliveries.due(endpointid, now, request),
        deliveries.nextDueAt(endpointid, now),
      ]);
      noteLater(held, laterAt);
      held.fresh = due.filter(({ id }) => !held.begunMeanwhile.has(id));
      held.hasMore = due.length === readAtOnceMax;
      held.isStirred ||= held.hasMore;
    }
  } catch (error) {
    log.warn({ err: error, endpointid }, "deliveries not read; tried again");
    setTimeout(() => stir(serving, held), storeRetryMs);
  }
  held.isLooking = false;
  serve(serving, held);
}

/** Kept in hand, it would not be looked for by anybody. */
function noteLater(held: HeldEndpoint, dueAt: Date | null): void {
  if (dueAt && (!held.laterAt || dueAt < held.laterAt)) held.laterAt = dueAt;
}

async function readEndpoint(serving: Serving, held: HeldEndpoint): Promise<void> {
  const { queues, endpoints, secrets, clock } = serving;
  const [queue, endpoint] = await Promise.all([
    queues.read(held.endpointid),
    endpoints.get(held.endpointid),
  ]);
  if (queue?.owner !== held.owner) {
    held.isLost = true;
    return;
  }
  held.seenAtMs = held.lookedAtMs;
  held.mark = queue.mark;
  if (queue.restartedat?.getTime() !== held.restartedat?.getTime()) {
    held.restartedat = queue.restartedat;
    held.health = healthy;
  }
  const isGone = !endpoint || isDeleted(endpoint);
  const dropUntil = isGone ? clock() : queue.dropuntil;
  if (dropUntil) await dropBacklog(serving, held, dropUntil);
  if (isGone) {
    held.isStopping = true;
    return;
  }
  held.endpoint = endpoint;
  held.keys = secrets.open(endpoint, clock()).map(createSigningKey);
}

async function dropBacklog(
  { deliveries, queues, clock }: Serving,
  held: HeldEndpoint,
  until: Date,
): Promise<void> {
  let dropped = 0;
  do {
    if (held.isStopping || held.isLost) return;
    dropped = await deliveries.drop(held.endpointid, until, clock());
  } while (dropped > 0);
  await queues.dropped(held.endpointid, until);
}

async function deliver<Tried extends DueDelivery>(
  serving: Serving,
  held: HeldEndpoint,
  endpoint: Endpoint,
  delivery: Tried,
  record: (result: AttemptResult<Tried>) => Promise<void>,
): Promise<void> {
  const { stirs } = held;
  held.underWay += 1;
  held.busy.add(delivery.id);
  const receiver = { url: endpoint.url, keys: held.keys };
  const { answer, result } = await attempt(serving, receiver, delivery);
  held.underWay -= 1;
  const { milliseconds } = result.attempt;
  serving.metrics.count(answer, milliseconds);
  held.tookMs = answer.problem === null ? milliseconds : Infinity;
  if (answer.problem === null) serving.pace.note(milliseconds);
  const { health } = held;
  judge(serving, held, endpoint, answer);
  if (held.health !== health) void keepHealth(serving, held);
  const written = record(result);
  serve(serving, held);
  await written;
  held.busy.delete(delivery.id);
  held.idleSinceMs = performance.now();
  // A look meanwhile passed it over, and it may have been sent again.
  if (held.stirs !== stirs) held.isStirred = true;
  const { dueat } = result.outcome;
  const dueInMs = dueat ? dueat.getTime() - serving.clock().getTime() : Infinity;
  noteLater(held, dueat);
  if (dueInMs < soonMs) setTimeout(() => stir(serving, held), Math.max(0, dueInMs) + clockMarginMs);
  serve(serving, held);
}

function judge(
  serving: Serving,
  held: HeldEndpoint,
  endpoint: Endpoint,
  { status, problem, retryAfterMs, interrupted }: Answer,
): void {
  if (interrupted) return;
  if (problem === null) {
    held.health = healthy;
    return;
  }
  const askedRestMs = busyStatuses.has(status) ? retryAfterMs : undefined;
  const failure = { now: serving.clock(), askedRestMs, random: serving.random() };
  held.health = afterFailure(held.health, failure);
  if (status === 410) void disable(serving, held, endpoint, "Its receiver answered 410 Gone");
  else if (isGivenUp(held.health)) {
    const reason = `Nothing but failure for 5 days; at last: ${problem}`;
    void disable(serving, held, endpoint, reason);
  }
}

/** Others see it, and a crash does not forget it. */
async function keepHealth({ queues, clock, log }: Serving, held: HeldEndpoint): Promise<void> {
  try {
    await queues.keep([held], clock());
  } catch (error) {
    log.warn({ err: error, endpointid: held.endpointid }, "health not kept; it is with the lease");
  }
}

async function disable(
  { clock, endpoints, log }: Serving,
  held: HeldEndpoint,
  endpoint: Endpoint,
  reason: string,
): Promise<void> {
  const { id, businessid } = endpoint;
  const now = clock();
  held.endpoint = { ...endpoint, enabled: false };
  try {
    await endpoints.change(businessid, id, { now }, (found) => {
      // A late answer of an old address says nothing of the new one.
      const isStillThere = found.url === endpoint.url;
      return ok({ entity: isStillThere ? disableEndpoint(found, reason, now) : found, events: [] });
    });
    log.info({ endpointid: id, businessid, reason }, "endpoint disabled");
  } catch (error) {
    log.warn({ err: error, endpointid: id }, "endpoint not disabled; its next failure will");
  }
}

async function giveBack(serving: Serving, held: HeldEndpoint): Promise<void> {
  held.isReleasing = true;
  let isOut = held.isLost;
  try {
    // Whoever has it now may not have seen what was written down meanwhile.
    if (isOut) await markAgain(serving, held);
    else isOut = await release(serving, held);
  } catch (error) {
    serving.log.warn({ err: error, endpointid: held.endpointid }, "not given back; its lease ends");
    isOut = true;
  }
  if (isOut) {
    held.hasEnded = true;
    leaveOffers(held);
    held.onEnd(held.isStirred);
  } else {
    // Marked meanwhile, or in other hands: a look tells which.
    held.isReleasing = false;
    await look(serving, held);
  }
}

async function markAgain({ queues, clock }: Serving, { endpointid }: HeldEndpoint): Promise<void> {
  await queues.mark([{ endpointid, enabled: false }], clock());
}

async function release({ deliveries, queues }: Serving, held: HeldEndpoint): Promise<boolean> {
  const dueAt = await deliveries.nextDueAt(held.endpointid);
  const isParked = held.endpoint?.enabled === false;
  return queues.release(held, { dueAt, isParked });
}
