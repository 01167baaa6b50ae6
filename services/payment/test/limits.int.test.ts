import { randomBytes } from "node:crypto";
import { minuteMs } from "@malipo/core";
import { freshNamespace, startSimulator, useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { nextPhone, openPayments } from "./open-payments.ts";

const servers = useSharedServers();
const simulator = await startSimulator();
const newAttempt = () => randomBytes(16).toString("base64url");

/** As many processes as wanted over one store, whose clocks agree. */
async function openProcesses(count: number) {
  const NAMESPACE = freshNamespace();
  const open = async () => openPayments(servers, simulator.url, { NAMESPACE });
  const processes = await Promise.all(Array.from({ length: count }, open));
  const taken = async (index: number, phone: string) => {
    const process = processes[index % processes.length];
    if (!process) throw new Error("no process runs");
    return process.deps.promptAllowances.take(phone, newAttempt());
  };
  return {
    taken,
    /** A process that knows nothing but what is in the store, at the time of the others. */
    restart: async () => {
      const started = await open();
      started.clock.set(processes[0]?.clock.now() ?? started.clock.now());
      processes.splice(0, processes.length, started);
    },
    pass: (minutes: number) => {
      for (const { clock } of processes) {
        clock.set(new Date(clock.now().getTime() + minutes * minuteMs));
      }
    },
  };
}

describe("prompts by pages on one phone", () => {
  it("are three in ten minutes, whichever process asks, all at once too", async () => {
    const { taken, pass, restart } = await openProcesses(3);
    const phone = nextPhone();
    const asked = await Promise.all(
      Array.from({ length: 12 }, async (_, nth) => taken(nth, phone)),
    );
    expect(asked.filter((from) => from === null)).toHaveLength(3);
    pass(9);
    await restart();
    expect(await taken(0, phone)).toBeInstanceOf(Date);
    expect(await taken(0, nextPhone())).toBeNull();
    pass(1);
    expect(await taken(0, phone)).toBeNull();
  });

  it("are ten a day, over restarts", async () => {
    const { taken, pass, restart } = await openProcesses(2);
    const phone = nextPhone();
    for (let nth = 0; nth < 10; nth += 1) {
      expect(await taken(nth, phone)).toBeNull();
      if (nth === 4) await restart();
      pass(20);
    }
    await restart();
    // The day began with the first.
    pass(24 * 60 - 10 * 20 - 1);
    expect(await taken(0, phone)).toBeInstanceOf(Date);
    pass(1);
    expect(await taken(0, phone)).toBeNull();
    expect(await taken(0, phone)).toBeInstanceOf(Date);
  });
});

describe("the phone itself", () => {
  it("has one prompt at a time, whichever process sent it, over a restart", async () => {
    const NAMESPACE = freshNamespace();
    const open = async () => openPayments(servers, simulator.url, { NAMESPACE });
    const [one, other] = await Promise.all([open(), open()]);
    simulator.change({ timing: { outcomeMs: 60_000 } });
    const phone = nextPhone();
    const answers = await Promise.all([one.request(phone), other.request(phone)]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    const later = await open();
    expect(await later.request(phone)).toMatchObject({ ok: false, error: { code: "phone_busy" } });
    later.clock.set(new Date(later.clock.now().getTime() + 3 * minuteMs));
    expect(await later.request(phone)).toMatchObject({ ok: true });
  });
});
