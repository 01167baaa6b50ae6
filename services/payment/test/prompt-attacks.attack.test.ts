import { setTimeout as sleep } from "node:timers/promises";
import { eventually, startSimulator, useSystem } from "@malipo/testing";
import { expect, it } from "vitest";
import { countOf, newPhone, openLink, unreachable, visitorOf } from "./prompt-attacks.ts";

const simulator = await startSimulator({ settings: { timing: { outcomeMs: 5 } } });
const system = useSystem(["payment"], { env: { MPESA_BASE_URL: simulator.url } });
const promptsOf = (phone: string) => simulator.prompts().filter((each) => each.phone === phone);

it("one address with 600 unreachable numbers sends 20 prompts, and closes the link to nobody else", async () => {
  const code = await openLink(system);
  const phones = Array.from({ length: 600 }, newPhone);
  simulator.change({ phones: unreachable(phones) });
  const stranger = visitorOf(system, "198.51.100.7");
  const statuses: number[] = [];
  const left = [...phones];
  const attack = async () => {
    for (let phone = left.pop(); phone; phone = left.pop()) {
      statuses.push(await stranger.pay(code, phone));
    }
  };
  await Promise.all(Array.from({ length: 20 }, attack));
  expect(countOf(statuses)).toEqual({ 200: 20, 429: 580 });
  for (let count = 0; count < 5; count += 1) {
    expect(await visitorOf(system, `203.0.113.${count}`).pay(code, newPhone())).toBe(200);
  }
}, 120_000);

it("200 addresses close a link to strangers only", async () => {
  const code = await openLink(system);
  const payer = newPhone();
  expect(await visitorOf(system, "203.0.113.200").pay(code, payer)).toBe(200);
  const phones = Array.from({ length: 200 }, newPhone);
  simulator.change({ phones: unreachable(phones) });
  for (const [nth, phone] of phones.entries()) {
    await visitorOf(system, `192.0.2.${nth}`).pay(code, phone);
  }
  await eventually(async () => {
    expect(await visitorOf(system, "203.0.113.201").pay(code, newPhone())).toBe(429);
  });
  expect(await visitorOf(system, "203.0.113.200").pay(code, payer)).toBe(200);
}, 120_000);

it("one IPv6 subscriber with many networks sends 40 prompts, and closes the link to nobody else", async () => {
  const code = await openLink(system);
  const phones = Array.from({ length: 60 }, newPhone);
  simulator.change({ phones: unreachable(phones) });
  const statuses: number[] = [];
  for (const [nth, phone] of phones.entries()) {
    const address = `2001:db8:1:${nth % 12}::${nth + 1}`;
    statuses.push(await visitorOf(system, address).pay(code, phone));
  }
  expect(countOf(statuses)).toEqual({ 200: 40, 429: 20 });
  expect(await visitorOf(system, "2001:db8:2:1::1").pay(code, newPhone())).toBe(200);
}, 120_000);

it("a phone that cancels gets at most two prompts in a minute from a caller that never waits", async () => {
  const phone = newPhone();
  simulator.change({ phones: { [phone]: "254700001032" } });
  const order = { amount: 100, phone, channel: "momo" };
  const until = performance.now() + 60_000;
  while (performance.now() < until) {
    await system.api("POST", "/business/payments/mobile/request", order);
    await sleep(50);
  }
  // The first rest is 30 s, the second 60 s.
  expect(promptsOf(phone).length).toBe(2);
}, 120_000);
