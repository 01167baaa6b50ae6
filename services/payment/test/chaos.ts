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
  readonly atOnce: number;
  /** After how many answers the next process is killed, payment and gateway in turn. */
  readonly killEvery: number;
  /** Whether to wait for what only queries can tell: that takes minutes. */
  readonly queries: boolean;
}

/** Faults often enough to meet each other, and times that fit a test. */
export const faulty = {
  timing: { outcomeMs: 60, slowMs: 400, hangMs: 2_500, lateMs: 1_500, processingMs: 500 },
};
const rates = 0.06;
const triesMax = 90;
/** What a callback called failed is asked about after two minutes, again and again if need be. */
const settlesWithinMs = 360_000;
const path = "/business/payments/mobile/request";

const phoneOf = (index: number) => String(254_740_000_000 + index);

/** Asks as a client that never gives up a key: until it is told yes or no, or "unknown" three times. */
async function insist(system: UsedSystem, index: number): Promise<number> {
  let unknown = 0;
  for (let tries = 0; tries < triesMax; tries += 1) {
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

/** Kills the next of the services whenever so many answers more have come. */
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

/** Payments while M-Pesa errs at random and processes are killed; then everything must add up. */
export async function runChaos(system: UsedSystem, simulator: Simulator, chaos: Chaos) {
  const { payments, seed, atOnce, killEvery } = chaos;
  simulator.change({ ...faulty, random: { seed, rates } });
  const { services } = system.gateway();
  const victims = ["payment", "gateway"].flatMap((name) => services[name] ?? []);
  const killing = startKilling(victims, killEvery);
  const left = Array.from({ length: payments }, (_, index) => index);
  const statuses: number[] = [];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        statuses[next] = await insist(system, next);
        killing.noteAnswer();
      }
    }),
  );
  const kills = await killing.end();
  simulator.change({ random: { seed, rates: 0 } });
  await addUp(system, simulator, chaos);
  return { kills, statuses };
}

interface Kept {
  readonly _id: unknown;
  readonly phone: string;
  readonly state: string;
  readonly checkoutrequestid: string | null;
  readonly momoreceiptnumber: string | null;
  readonly nextquery: Date | null;
}

async function addUp(system: UsedSystem, simulator: Simulator, { payments, queries }: Chaos) {
  const database = system.database("payment");
  const readAll = async () => database.collection<Kept>("transactions").find().toArray();
  const rung = simulator.prompts().filter(({ phone }) => phone.startsWith("25474"));

  // No phone rang twice for one key, and each time it rang for a transaction that we know.
  expect(new Set(rung.map(({ phone }) => phone)).size).toBe(rung.length);
  const kept = await readAll();
  const known = new Set(kept.map(({ _id }) => String(_id)));
  expect(rung.filter(({ callbackurl }) => !known.has(callbackurl.slice(-56, -32)))).toEqual([]);
  expect(new Set(kept.map(({ phone }) => phone)).size).toBe(kept.length);
  expect(kept.length).toBeLessThanOrEqual(payments);

  // Whatever we were told of, or could ask about, is known in the end; the rest is not forgotten.
  await eventually(async () => {
    const now = new Map((await readAll()).map((each) => [String(each._id), each]));
    for (const prompt of simulator.prompts().filter(({ phone }) => phone.startsWith("25474"))) {
      const transaction = now.get(prompt.callbackurl.slice(-56, -32));
      const wasTold = prompt.callbacks.some(({ status, says, body }) => {
        return status === 200 && says === "0" && body.includes(prompt.checkoutrequestid);
      });
      const isAskable = transaction?.checkoutrequestid === prompt.checkoutrequestid;
      const isKnowable = wasTold || (queries && isAskable);
      const what = { phone: prompt.phone, state: transaction?.state };
      if (!prompt.paid) expect(what).not.toEqual({ ...what, state: "completed" });
      else if (isKnowable) expect(what).toEqual({ phone: prompt.phone, state: "completed" });
      else if (what.state !== "completed") {
        expect(transaction).toMatchObject({
          state: isAskable ? "prompted" : "calling",
          nextquery: expect.any(Date),
        });
      }
    }
  }, settlesWithinMs);

  await oneOfEach(
    system,
    (await readAll()).filter(({ state }) => state === "completed"),
  );
}

/** Every success has one transaction, one receipt and one event; every event but that is said once at most. */
async function oneOfEach(system: UsedSystem, completed: readonly Kept[]) {
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
    // The stream may hold an event twice: its id tells.
    const events = [...new Map(all.map((event) => [event.id, event])).values()];
    const of = (type: string) =>
      events.filter((event) => event.type === type).map(({ recordid }) => recordid);
    expect(of("payment.completed").toSorted()).toEqual(ids);
    for (const type of ["payment.initiated", "payment.failed"]) {
      expect(new Set(of(type)).size).toBe(of(type).length);
    }
  }, 20_000);
}
