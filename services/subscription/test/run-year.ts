import { calls } from "@malipo/contracts";
import { addMs, bucketCount, dayMs, minuteMs, secondMs } from "@malipo/core";
import {
  callService,
  countUnpublishedRecords,
  openService,
  platformConfig,
  readConfig,
  type Service,
} from "@malipo/platform";
import {
  environmentOn,
  countUnhandledEvents,
  dataOf,
  eventually,
  deleteConsumers,
  idIn,
  freezeClock,
  type FrozenClock,
  type UsedSystem,
  useSystem,
} from "@malipo/testing";
import { expect } from "vitest";
import type { Scenario } from "./expected-year.ts";
import { compareWithExpected } from "./compare-year.ts";
import { perform, retryUntilAnswered } from "./year-actions.ts";
import { day, dayOf, drawYear, price, start, type Worker, type YearPlan } from "./year-plan.ts";

const buckets = Array.from({ length: bucketCount }, (_, bucket) => bucket);
const concurrency = 8;
const roundsMax = 60;
const settleTimeoutMs = 40_000;
const settleAttemptsMax = 5;
const publishers: readonly ("subscription" | "invoice")[] = ["subscription", "invoice"];

/** The whole system on a clock that stands still and is moved from day to day. */
export function useYearSystem(scheduled: boolean) {
  const clock = freezeClock(start);
  const workers = [
    "invoice",
    "subscription",
    ...(scheduled ? ["scheduler" as const] : []),
  ] as const;
  const system = useSystem(workers, {
    env: { ...clock.env, PROMPT_HOURS: "0-24" },
    ownProcess: workers,
  });
  return { clock, system };
}

/** Runs the plan on the services, and compares what they billed with the expected year. */
export async function runYear({ clock, system }: ReturnType<typeof useYearSystem>, plan: YearPlan) {
  const { stopped, killed, scenarios } = drawYear(plan);
  const scheduler = await openScheduler(system, clock.now);
  const run = { system, scheduler, clock, plan };
  const ids = await createSubscriptions(system, scenarios);
  let absent: Worker | undefined;
  await processAll(run, absent);
  for (let today = 1; today <= plan.days; today += 1) {
    const stoppedToday = stopped.get(today);
    if (stoppedToday !== absent) {
      if (absent) await processOf(system, absent).start();
      if (stoppedToday) await processOf(system, stoppedToday).stop();
      absent = stoppedToday;
    }
    if (absent && absent !== "invoice") continue;
    clock.set(day(today));
    const kill = killed.get(today);
    if (kill) await killWhileProcessing(run, kill);
    await processAll(run, absent);
    const planned = scenarios.flatMap(({ actions }, index) => {
      const action = actions.get(today);
      const isPaidByEvent = (today + index) % 3 === 0;
      return action ? [{ action, id: ids[index] ?? "", isPaidByEvent }] : [];
    });
    if (planned.length === 0) continue;
    await forEachConcurrently(planned, async (each) => perform(run, each));
    await processAll(run, absent);
  }
  if (absent) await processOf(system, absent).start();
  clock.set(day(plan.days + 1));
  await reconcileAll(scheduler);
  return compareWithExpected(system, scenarios, ids);
}

type YearRun = {
  readonly system: UsedSystem;
  readonly scheduler: Service;
  readonly clock: FrozenClock;
  readonly plan: YearPlan;
};

async function openScheduler({ servers }: UsedSystem, now: () => Date): Promise<Service> {
  const config = readConfig(platformConfig, environmentOn(servers));
  return openService("scheduler", config, { clock: now, random: Math.random });
}

function processOf(system: UsedSystem, worker: Worker) {
  const found = system.gateway().services[worker];
  if (!found) throw new Error(`${worker} does not run here`);
  return found;
}

async function createSubscriptions(
  system: UsedSystem,
  scenarios: readonly Scenario[],
): Promise<string[]> {
  const { api } = system;
  const product = { title: "Maji", price };
  const itemid = idIn(await api("POST", "/business/product/create", product));
  const ids: string[] = [];
  await forEachConcurrently(
    [...scenarios.entries()],
    async ([index, { cycle, autorenew, trialDays, endsOn }]) => {
      const customer = await api("POST", "/business/customer/create", { name: `Asha ${index}` });
      const created = await api("POST", "/business/subscription/create", {
        customerid: idIn(customer),
        items: [{ itemid, quantity: 1, rate: price }],
        billingcycle: cycle,
        autorenew,
        ...(trialDays !== null && { trial: { enddate: wholeSeconds(day(trialDays)) } }),
        ...(endsOn !== null && { enddate: wholeSeconds(day(endsOn)) }),
      });
      ids[index] = idIn(created);
    },
  );
  return ids;
}

function wholeSeconds(date: Date): string {
  return date.toISOString().replace(".000Z", "Z");
}

const due = (now: Date) => ({ dueat: { $lte: now } });

async function countDue({ system, clock }: YearRun, absent?: Worker): Promise<number> {
  const of = async (service: string, name: string) =>
    system.database(service).collection(name).countDocuments(due(clock.now()));
  const invoices = absent === "invoice" ? 0 : await of("invoice", "invoices");
  return invoices + (await of("subscription", "subscriptions"));
}

/** Processes everything that is due and waits for all events, until there is nothing left. */
async function processAll(run: YearRun, absent?: Worker): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    await waitForEvents(run, absent);
    if (absent !== "invoice") await makePostponedDue(run);
    if ((await countDue(run, absent)) === 0) return;
    await processDue(run, absent);
  }
  throw new Error(`day ${dayOf(run.clock.now())}: records are still due after ${roundsMax} rounds`);
}

/** Subscriptions that are postponed by a minute become due at once, because the clock stands still. */
async function makePostponedDue({ system, clock }: YearRun): Promise<void> {
  const now = clock.now();
  const isPostponed = { dueat: { $gt: now, $lte: addMs(now, minuteMs) } };
  const subscriptions = system.database("subscription").collection("subscriptions");
  await subscriptions.updateMany(isPostponed, { $set: { dueat: now } });
}

async function processDue({ system, scheduler, plan, clock }: YearRun, absent?: Worker) {
  if (plan.scheduled) return runJobs(system);
  const until = new Date(clock.now().getTime() + 5 * secondMs).toISOString();
  const body = { buckets, limit: 1_000, until };
  await Promise.all([
    callService(scheduler, calls.processDueSubscriptions, { body }),
    ...(absent === "invoice"
      ? []
      : [callService(scheduler, calls.processOverdueInvoices, { body })]),
  ]);
}

/** Waits for the runs up to 15 s: a run whose scheduler was killed is held until its lease ends. */
async function runJobs({ operator }: UsedSystem): Promise<void> {
  const started: string[] = [];
  for (const job of ["subscriptions-due", "invoices-overdue"]) {
    await retryUntilAnswered(async () => {
      const answer = await operator("POST", "/operator/run/start", { job });
      if (answer.status === 200) started.push(idIn(answer));
      return answer;
    });
  }
  const haveEnded = async () => {
    const runs = started.map(async (id) =>
      dataOf(await operator("GET", `/operator/run/details/${id}`)),
    );
    return (await Promise.all(runs)).every(({ status }) => /done|failed/.test(String(status)));
  };
  await eventually(haveEnded, 15_000).catch(() => undefined);
}

/** Waits until every event is published and consumed. */
async function waitForEvents(run: YearRun, absent?: Worker): Promise<void> {
  const { system, clock } = run;
  const present = publishers.filter((name) => name !== absent);
  const isSettled = async () => expect(await describePending(run, present)).toEqual([]);
  for (let attempt = 1; attempt < settleAttemptsMax; attempt += 1) {
    const [waited] = await Promise.allSettled([eventually(isSettled, settleTimeoutMs)]);
    if (waited.status === "fulfilled") return;
    await resendAll(system, clock.now(), present);
  }
  await eventually(isSettled, settleTimeoutMs);
}

/** The events that are not published or not consumed yet, as sentences. */
async function describePending(
  { system, scheduler }: YearRun,
  present: typeof publishers,
): Promise<string[]> {
  const collections = ["subscriptions", "invoices", "credits", "customers", "products"];
  const unpublished = present.flatMap((name) =>
    collections.map(async (kind) => {
      const count = await countUnpublishedRecords(system.database(name), kind);
      return count > 0 ? [`${count} ${kind} of ${name} are unpublished`] : [];
    }),
  );
  const unconsumed = countUnhandledEvents(scheduler.wire.nats, system.servers.namespace, present);
  const sentences = unconsumed.then((count) =>
    count > 0 ? [`${count} events are not consumed`] : [],
  );
  return (await Promise.all([...unpublished, sentences])).flat();
}

/** The sweep waits five seconds before it publishes again, and the clock stands still. */
async function resendAll(system: UsedSystem, since: Date, services = publishers): Promise<void> {
  for (const service of services) await resend(system, service, since);
}

/** Sends SIGKILL when a part of the day's work is done, then resends events as an operator would. */
async function killWhileProcessing(
  run: YearRun,
  { worker, share }: { worker: Worker; share: number },
) {
  const { system, clock, plan, scheduler } = run;
  const before = await countDue(run);
  const processing = processDue(run).catch(() => undefined);
  const enough = eventually(async () => (await countDue(run)) <= before * share, 20_000);
  await Promise.race([enough.catch(() => undefined), processing]);
  await processOf(system, worker).kill();
  // Messages that the killed worker held are redelivered after 30 s. New consumers get all at once.
  if (!plan.scheduled) await deleteConsumers(scheduler.wire.nats, system.servers.namespace, worker);
  await processOf(system, worker).start();
  await processing;
  await resendAll(system, clock.now());
}

async function resend({ operator }: UsedSystem, service: string, since: Date): Promise<void> {
  let cursor: unknown = null;
  do {
    const body = { since: since.toISOString(), ...(cursor !== null && { cursor }) };
    const sent = await operator("POST", `/operator/events/resend/${service}`, body);
    cursor = dataOf(sent)["cursor"];
  } while (cursor !== null);
}

/** Runs the reconciliation until it has checked everything, and finds nothing missing. */
async function reconcileAll(scheduler: Service): Promise<void> {
  const now = scheduler.clock();
  const body = { buckets, limit: 100, until: new Date(now.getTime() + dayMs).toISOString() };
  await eventually(async () => {
    const reconciled = await callService(scheduler, calls.reconcileBillings, { body });
    expect(reconciled).toMatchObject({ ok: true, value: { skipped: 0, failed: 0 } });
    return reconciled.ok && !reconciled.value.more;
  }, 60_000);
}

async function forEachConcurrently<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
) {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
