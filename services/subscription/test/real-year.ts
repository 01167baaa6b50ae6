import { calls } from "@malipo/contracts";
import { addMs, bucketCount, dayMs, minuteMs, secondMs } from "@malipo/core";
import { ask, openService, platformConfig, readConfig, type Service } from "@malipo/platform";
import {
  environmentOn,
  countUnheard,
  countUntold,
  dataOf,
  eventually,
  forgetConsumers,
  idIn,
  stillClock,
  type StillClock,
  type UsedSystem,
  useSystem,
} from "@malipo/testing";
import { type Document, ObjectId } from "mongodb";
import { expect } from "vitest";
import { byTheCalendar, type Life } from "./expected-year.ts";
import { creditOf, insist, perform } from "./year-actions.ts";
import { dawn, day, dayOf, price, type Worker, worldOf, type YearPlan } from "./year-plan.ts";

const buckets = Array.from({ length: bucketCount }, (_, bucket) => bucket);
const atOnce = 8;
const roundsMax = 60;
const quietPatienceMs = 40_000;
const quietTriesMax = 5;
const tellers: readonly ("subscription" | "invoice")[] = ["subscription", "invoice"];

/** The whole system on a clock that stands still, and moves from day to day. */
export function useYear(scheduled: boolean) {
  const clock = stillClock(dawn);
  const workers = [
    "invoice",
    "subscription",
    ...(scheduled ? ["scheduler" as const] : []),
  ] as const;
  const system = useSystem(workers, { env: { ...clock.env, PROMPT_HOURS: "0-24" } });
  return { clock, system };
}

/** Lives through the plan, and holds what was billed against what a person with a calendar says. */
export async function liveThrough({ clock, system }: ReturnType<typeof useYear>, plan: YearPlan) {
  const { away, killed, lives } = worldOf(plan);
  const scheduler = await openScheduler(system, clock.now);
  const stack = { system, scheduler, clock, plan };
  const ids = await begin(system, lives);
  let absent: Worker | undefined;
  await settle(stack, absent);
  for (let today = 1; today <= plan.days; today += 1) {
    const gone = away.get(today);
    if (gone !== absent) {
      if (absent) await processOf(system, absent).start();
      if (gone) await processOf(system, gone).stop();
      absent = gone;
    }
    if (absent && absent !== "invoice") continue;
    clock.set(day(today));
    const kill = killed.get(today);
    if (kill) await killAmid(stack, kill);
    await settle(stack, absent);
    const acting = lives.flatMap(({ acts }, index) => {
      const act = acts.get(today);
      return act ? [{ act, id: ids[index] ?? "", byEvent: (today + index) % 3 === 0 }] : [];
    });
    if (acting.length === 0) continue;
    await eachOf(acting, async (one) => perform(stack, one));
    await settle(stack, absent);
  }
  if (absent) await processOf(system, absent).start();
  clock.set(day(plan.days + 1));
  await compareAll(scheduler);
  return judge(system, lives, ids);
}

type Stack = {
  readonly system: UsedSystem;
  readonly scheduler: Service;
  readonly clock: StillClock;
  readonly plan: YearPlan;
};

async function openScheduler({ servers }: UsedSystem, now: () => Date): Promise<Service> {
  const config = readConfig(platformConfig, environmentOn(servers));
  return openService("scheduler", config, { clock: now, random: Math.random });
}

function processOf(system: UsedSystem, who: Worker) {
  const found = system.gateway().services[who];
  if (!found) throw new Error(`${who} does not run here`);
  return found;
}

async function begin(system: UsedSystem, lives: readonly Life[]): Promise<string[]> {
  const { api } = system;
  const product = { title: "Maji", price };
  const itemid = idIn(await api("POST", "/business/product/create", product));
  const ids: string[] = [];
  await eachOf([...lives.entries()], async ([index, { cycle, autorenew, trialDays, endsOn }]) => {
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
  });
  return ids;
}

function wholeSeconds(date: Date): string {
  return date.toISOString().replace(".000Z", "Z");
}

const due = (now: Date) => ({ dueat: { $lte: now } });

async function dueCount({ system, clock }: Stack, absent?: Worker): Promise<number> {
  const of = async (service: string, name: string) =>
    system.database(service).collection(name).countDocuments(due(clock.now()));
  const invoices = absent === "invoice" ? 0 : await of("invoice", "invoices");
  return invoices + (await of("subscription", "subscriptions"));
}

/** Until nothing is due, and nobody has anything left to hear. */
async function settle(stack: Stack, absent?: Worker): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    await quiet(stack, absent);
    if (absent !== "invoice") await hasten(stack);
    if ((await dueCount(stack, absent)) === 0) return;
    await workOff(stack, absent);
  }
  throw new Error(`day ${dayOf(stack.clock.now())} never comes to rest`);
}

/** What waits a minute for an invoice to be issued comes at once: here no minute passes. */
async function hasten({ system, clock }: Stack): Promise<void> {
  const now = clock.now();
  const isPutOff = { dueat: { $gt: now, $lte: addMs(now, minuteMs) } };
  const subscriptions = system.database("subscription").collection("subscriptions");
  await subscriptions.updateMany(isPutOff, { $set: { dueat: now } });
}

async function workOff({ system, scheduler, plan, clock }: Stack, absent?: Worker) {
  if (plan.scheduled) return runJobs(system);
  const until = new Date(clock.now().getTime() + 5 * secondMs).toISOString();
  const body = { buckets, limit: 1_000, until };
  await Promise.all([
    ask(scheduler, calls.processDueSubscriptions, { body }),
    ...(absent === "invoice" ? [] : [ask(scheduler, calls.processOverdueInvoices, { body })]),
  ]);
}

/** Waits for the runs, but not for ever: one whose scheduler was killed stays until its lease ends. */
async function runJobs({ operator }: UsedSystem): Promise<void> {
  const started: string[] = [];
  for (const job of ["subscriptions-due", "invoices-overdue"]) {
    await insist(async () => {
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

/** What was saved is on the stream, and all who listen have heard it. */
async function quiet(stack: Stack, absent?: Worker): Promise<void> {
  const { system, clock } = stack;
  const present = tellers.filter((name) => name !== absent);
  const isQuiet = async () => expect(await unrest(stack, present)).toEqual([]);
  for (let tries = 1; tries < quietTriesMax; tries += 1) {
    const [soon] = await Promise.allSettled([eventually(isQuiet, quietPatienceMs)]);
    if (soon.status === "fulfilled") return;
    await resendAll(system, clock.now(), present);
  }
  await eventually(isQuiet, quietPatienceMs);
}

/** Who has something left to say or to hear, in words. */
async function unrest({ system, scheduler }: Stack, present: typeof tellers): Promise<string[]> {
  const collections = ["subscriptions", "invoices", "credits", "customers", "products"];
  const unsaid = present.flatMap((name) =>
    collections.map(async (kind) => {
      const count = await countUntold(system.database(name), kind);
      return count > 0 ? [`${count} ${kind} of ${name} are unsaid`] : [];
    }),
  );
  const unheard = countUnheard(scheduler.wire.nats, system.servers.namespace, present);
  const words = unheard.then((count) => (count > 0 ? [`${count} events are unheard`] : []));
  return (await Promise.all([...unsaid, words])).flat();
}

/** The sweep is for what is older than five seconds, and here no second passes. */
async function resendAll(system: UsedSystem, since: Date, services = tellers): Promise<void> {
  for (const service of services) await resend(system, service, since);
}

/** SIGKILL when a part of the day's work is done; what it left is told again, as an operator would. */
async function killAmid(stack: Stack, { who, share }: { who: Worker; share: number }) {
  const { system, clock, plan, scheduler } = stack;
  const before = await dueCount(stack);
  const run = workOff(stack).catch(() => undefined);
  const enough = eventually(async () => (await dueCount(stack)) <= before * share, 20_000);
  await Promise.race([enough.catch(() => undefined), run]);
  await processOf(system, who).kill();
  // What was with the dead worker would come again in half a minute; so it comes at once, and all else.
  if (!plan.scheduled) await forgetConsumers(scheduler.wire.nats, system.servers.namespace, who);
  await processOf(system, who).start();
  await run;
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

/** In the end the comparison finds nothing that is missing. */
async function compareAll(scheduler: Service): Promise<void> {
  const now = scheduler.clock();
  const body = { buckets, limit: 100, until: new Date(now.getTime() + dayMs).toISOString() };
  await eventually(async () => {
    const compared = await ask(scheduler, calls.reconcileBillings, { body });
    expect(compared).toMatchObject({ ok: true, value: { skipped: 0, failed: 0 } });
    return compared.ok && !compared.value.more;
  }, 60_000);
}

function stateOf({ status, balance }: Document): string {
  if (status === "paid" || status === "cancelled") return status;
  if (balance === price * 100) return "unpaid";
  return balance === price * 50 ? "half paid" : `${balance} cents left`;
}

async function judge(system: UsedSystem, lives: readonly Life[], ids: readonly string[]) {
  const subscriptions = system.database("subscription").collection("subscriptions");
  const invoices = await system.database("invoice").collection("invoices").find().toArray();
  const linesOf = Map.groupBy(invoices, ({ issuedfor }) => String(issuedfor.subscriptionid));
  for (const [index, life] of lives.entries()) {
    const id = ids[index] ?? "";
    const found = await subscriptions.findOne({ _id: new ObjectId(id) });
    const lines = (linesOf.get(id) ?? []).map(({ issuedfor: { why, of }, ...invoice }) => {
      const what = why === "manual" ? `manual ${of}` : `${why} ${dayOf(new Date(of))}`;
      const [issued, dueon] = [dayOf(invoice["invoicedate"]), dayOf(invoice["duedate"])];
      return `${issued}: ${what}, due ${dueon}, ${stateOf(invoice)}`;
    });
    const expected = byTheCalendar(life);
    const credit = await creditOf(system, String(found?.["customerid"]));
    const status = found?.["status"];
    expect({ index, status, credit, invoices: lines.toSorted() }).toEqual({
      index,
      status: expected.status,
      credit: expected.hasCredit ? price * 50 : 0,
      invoices: expected.invoices.toSorted(),
    });
  }
  expect(new Set(invoices.map(({ invoiceno }) => invoiceno)).size).toBe(invoices.length);
  const parked = { "parked.at": { $gt: new Date(0) } };
  expect(await subscriptions.countDocuments(parked)).toBe(0);
  const statuses = await subscriptions.distinct("status");
  return { invoices: invoices.length, statuses };
}

async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>) {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
