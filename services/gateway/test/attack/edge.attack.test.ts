import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { createCallbackToken, newId } from "@malipo/platform";
import {
  clientFrom,
  countMessages,
  idIn,
  overPodMemory,
  p99Of,
  podEnvironment,
  type Sample,
  startLoad,
  useSystem,
} from "@malipo/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type AttackName, attacks } from "./attacks.ts";

const callbackKey = "a-key-for-the-callbacks-of-a-test";
const system = useSystem(["invoice"], {
  env: { CALLBACK_KEY: callbackKey },
  envOf: podEnvironment,
  ownProcess: ["gateway", "invoice"],
});

const attackMs = Number(process.env["ATTACK_SECONDS"] ?? 60) * 1_000;
const baselineMs = Math.min(attackMs, 15_000);
const recoveryMs = 2_000;
const calmMs = 5_000;
const clients = 20;
const perSecond = 80;
/** One request of this many is a callback, one a probe. */
const cycle = 8;

function start(file: string, ...args: readonly string[]): ChildProcess {
  const child = fork(new URL(file, import.meta.url), args, {
    execArgv: ["--conditions=@malipo/source"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Other clients call the API, M-Pesa calls back, and a balancer probes. */
function loadOfOthers(url: string, details: string) {
  const senders = Array.from({ length: clients }, (_, at) => clientFrom(`127.1.0.${at + 1}`, url));
  const authorization = system.business.secret;
  let callbacks = 0;
  const load = startLoad(perSecond, async (at) => {
    const { send } = senders[at % clients] ?? clientFrom("127.1.1.1", url);
    if (at % cycle === 0) {
      callbacks += 1;
      const path = `/callbacks/stk/${createCallbackToken(newId(), callbackKey)}`;
      return send({ method: "POST", path, body: '{"Body":{}}' });
    }
    if (at % cycle === 1) return send({ path: "/readyz" });
    return send({ path: details, headers: { authorization } });
  });
  return {
    callbacks: () => callbacks,
    stop: async () => {
      const samples = await load.stop();
      for (const sender of senders) sender.close();
      return samples;
    },
  };
}

const problemsOf = (samples: readonly Sample[]) => samples.flatMap(({ problem }) => problem ?? []);
const after = (samples: readonly Sample[], ms: number) => samples.filter(({ atMs }) => atMs >= ms);

let details = "";
let bareUrl = "";
let bare: ChildProcess | undefined;

beforeAll(async () => {
  const created = await system.api("POST", "/business/product/create", {
    title: "Chai",
    price: 30,
  });
  details = `/business/product/details/${idIn(created)}`;
  bare = fork(new URL("bare-server-main.ts", import.meta.url));
  const [port] = await once(bare, "message");
  bareUrl = `http://127.0.0.1:${port}`;
  // The first requests of a process compile its code.
  const warmUp = loadOfOthers(system.gateway().apiUrl, details);
  await pause(calmMs);
  await warmUp.stop();
});
afterAll(() => bare?.kill("SIGKILL"));

describe("other clients do not notice an attack by one address with", () => {
  it.each(Object.keys(attacks) as AttackName[])("%s", async (name) => {
    const baseline = loadOfOthers(bareUrl, details);
    const attackOnBare = start("attacker-main.ts", name, bareUrl);
    await pause(baselineMs);
    const bareP99 = p99Of(await baseline.stop());
    attackOnBare.kill("SIGKILL");
    await pause(recoveryMs);

    const { apiUrl, services } = system.gateway();
    const before = await countMessages(system.servers, "callback");
    const load = loadOfOthers(apiUrl, details);
    const attack = start("attacker-main.ts", name, apiUrl);
    await pause(attackMs);
    attack.kill("SIGKILL");
    await pause(recoveryMs + calmMs);
    const samples = await load.stop();
    const kept = (await countMessages(system.servers, "callback")) - before;

    const p99Max = Math.max(2 * bareP99, bareP99 + 50);
    const recovered = after(samples, attackMs + recoveryMs);
    const figures = { bareP99, p99: p99Of(samples), p99After: p99Of(recovered) };
    process.stdout.write(
      `${name}: ${JSON.stringify({ sent: samples.length, kept, ...figures })}\n`,
    );
    expect(problemsOf(samples)).toEqual([]);
    expect(kept).toBe(load.callbacks());
    expect(figures.p99).toBeLessThanOrEqual(p99Max);
    expect(figures.p99After).toBeLessThanOrEqual(p99Max);
    expect(overPodMemory(services)).toEqual([]);
  });
});
