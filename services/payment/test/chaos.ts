import { setTimeout as pause } from "node:timers/promises";
import {
  call,
  eventually,
  type ServiceProcess,
  readEvents,
  type startSimulator,
  type UsedSystem,
} from "@malipo/testing";
import { expect } from "vitest";

type Simulator = Awaited<ReturnType<typeof startSimulator>>;

interface Chaos {
  readonly payments: number;
  readonly seed: number;
  readonly concurrency: number;
  /** A process is killed after this many answers: payment and gateway in turn. */
  readonly killEvery: number;
  /** Waits for outcomes that only status queries give. That takes minutes. */
  readonly waitsForQueries: boolean;
}

/** Short times, so that faults overlap and the test ends soon. */
export const faulty = {
  timing: { outcomeMs: 60, slowMs: 400, hangMs: 2_500, lateMs: 1_500, processingMs: 500 },
};
const faultRates = 0.06;
const attemptsMax = 90;
/** A failure that a callback reported is queried after two minutes, and again until it is answered. */
const finishedWithinMs = 360_000;
const path = "/business/payments/mobile/request";

const phoneOf = (index: number) => String(254_740_000_000 + index);

/** Repeats a request with its key until the answer is 200, 422, or three times "outcome unknown". */
async function requestUntilDecided(system: UsedSystem, index: number): Promise<number> {
  let unknown = 0;
  for (let tries = 0; tries < attemptsMax; tries += 1) {
    const { apiUrl } = system.gateway();
    const order = {
      amount: 100,
      phone: phoneOf(index),
      channel: "momo",
      referenceid: `c-${index}`,
    };
    const headers = { "idempotency-key": `chaos-${index}` };
    const status = await call(apiUrl + path, "POST", system.business.secret, order, headers).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200 || status === 422) return status;
    if (status === 504) unknown += 1;
    if (unknown === 3) return status;
    await pause(200 + Math.random() * 400);
  }
  return 0;
}

/** Kills and restarts one of the services after each `killEvery` answers, in turn. */
function startKilling(services: readonly ServiceProcess[], killEvery: number) {
  let answers = 0;
  let kills = 0;
  let killing = Promise.resolve();
  const killNext = async () => {
    const victim = services[kills % services.length];
    kills += 1;
    await victim?.kill();
    await victim?.start();
  };
  return {
    noteAnswer() {
      answers += 1;
      if (answers % killEvery === 0) killing = killing.then(killNext);
    },
    async end() {
      await killing;
      return kills;
    },
  };
}

/** Makes payments while M-Pesa has random faults and processes are killed. Then everything must add up. */
export async function runChaos(system: UsedSystem, simulator: Simulator, chaos: Chaos) {
  const { payments, seed, concurrency, killEvery } = chaos;
  simulator.change({ ...faulty, random: { seed, rates: faultRates } });
  const { services } = system.gateway();
  const victims = ["payment", "gateway"].flatMap((name) => services[name] ?? []);
  const killing = startKilling(victims, killEvery);
  const left = Array.from({ length: payments }, (_, index) => index);
  const statuses: number[] = [];
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        statuses[next] = await requestUntilDecided(system, next);
        killing.noteAnswer();
      }
    }),
  );
  const kills = await killing.end();
  simulator.change({ random: { seed, rates: 0 } });
  await expectAllAddsUp(system, simulator, chaos);
  return { kills, statuses };
}

interface StoredTransaction {
  readonly _id: unknown;
  readonly phone: string;
  readonly state: string;
  readonly checkoutrequestid: string | null;
  readonly momoreceiptnumber: string | null;
  readonly nextquery: Date | null;
}

async function expectAllAddsUp(
  system: UsedSystem,
  simulator: Simulator,
  { payments, waitsForQueries }: Chaos,
) {
  const database = system.database("payment");
  const readAll = async () =>
    database.collection<StoredTransaction>("transactions").find().toArray();
  const rung = simulator.prompts().filter(({ phone }) => phone.startsWith("25474"));

  // No phone rang twice for one key, and each prompt belongs to a stored transaction.
  expect(new Set(rung.map(({ phone }) => phone)).size).toBe(rung.length);
  const stored = await readAll();
  const known = new Set(stored.map(({ _id }) => String(_id)));
  expect(rung.filter(({ callbackurl }) => !known.has(callbackurl.slice(-56, -32)))).toEqual([]);
  expect(new Set(stored.map(({ phone }) => phone)).size).toBe(stored.length);
  expect(stored.length).toBeLessThanOrEqual(payments);

  // Every outcome that a callback reported or a query can find is stored in the end. The others stay due.
  await eventually(async () => {
    const now = new Map((await readAll()).map((each) => [String(each._id), each]));
    for (const prompt of simulator.prompts().filter(({ phone }) => phone.startsWith("25474"))) {
      const transaction = now.get(prompt.callbackurl.slice(-56, -32));
      const wasReported = prompt.callbacks.some(({ status, says, body }) => {
        return status === 200 && says === "0" && body.includes(prompt.checkoutrequestid);
      });
      const canBeQueried = transaction?.checkoutrequestid === prompt.checkoutrequestid;
      const isKnowable = wasReported || (waitsForQueries && canBeQueried);
      const what = { phone: prompt.phone, state: transaction?.state };
      if (!prompt.paid) expect(what).not.toEqual({ ...what, state: "completed" });
      else if (isKnowable) expect(what).toEqual({ phone: prompt.phone, state: "completed" });
      else if (what.state !== "completed") {
        expect(transaction).toMatchObject({
          state: canBeQueried ? "prompted" : "calling",
          nextquery: expect.any(Date),
        });
      }
    }
  }, finishedWithinMs);

  await expectOneOfEach(
    system,
    (await readAll()).filter(({ state }) => state === "completed"),
  );
}

/** Each completed transaction has one receipt and one event. Other events occur at most once. */
async function expectOneOfEach(system: UsedSystem, completed: readonly StoredTransaction[]) {
  const ids = completed.map(({ _id }) => String(_id)).toSorted();
  await eventually(async () => {
    const receipts = await system.database("payment").collection("receipts").find().toArray();
    expect(receipts.map(({ _id }) => String(_id)).toSorted()).toEqual(ids);
    expect(new Set(receipts.map((each) => String(each["receiptno"]))).size).toBe(receipts.length);
    const ofMpesa = receipts.flatMap((each) => (each["momoreceiptnumber"] as string | null) ?? []);
    expect(new Set(ofMpesa).size).toBe(ofMpesa.length);
  }, 20_000);
  await eventually(async () => {
    const all = await readEvents(system.servers);
    // The stream may hold an event twice, with the same id.
    const events = [...new Map(all.map((event) => [event.id, event])).values()];
    const of = (type: string) =>
      events.filter((event) => event.type === type).map(({ recordid }) => recordid);
    expect(of("payment.completed").toSorted()).toEqual(ids);
    for (const type of ["payment.initiated", "payment.failed"]) {
      expect(new Set(of(type)).size).toBe(of(type).length);
    }
  }, 20_000);
}
