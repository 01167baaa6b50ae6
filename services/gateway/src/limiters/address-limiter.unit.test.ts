import { minuteMs } from "@malipo/core";
import { settableClock } from "@malipo/testing";
import { expect, it } from "vitest";
import { createAddressLimiter } from "./address-limiter.ts";

const noon = new Date("2026-11-21T12:00:00Z");

it.each([
  ["an IPv4 address", "41.90.1.2", "41.90.1.2", "41.90.1.3"],
  ["an IPv4 address in IPv6 form", "41.90.1.2", "::ffff:41.90.1.2", "::ffff:41.90.1.3"],
  ["a /64 of IPv6", "2001:db8:1:2::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:3::1"],
])("%s has one limit a minute, and its neighbour another one", (_name, first, same, neighbour) => {
  const clock = settableClock(noon);
  const limiter = createAddressLimiter(clock.now, 3);
  for (const address of [first, same, first]) {
    expect(limiter.count(address)).toMatchObject({ allowed: true });
  }
  for (const address of [first, same]) {
    expect(limiter.peek(address)).toMatchObject({ remaining: 0 });
    expect(limiter.count(address)).toMatchObject({ allowed: false });
  }
  expect(limiter.peek(neighbour)).toMatchObject({ allowed: true, remaining: 3 });
  clock.advance(minuteMs);
  expect(limiter.count(same)).toMatchObject({ allowed: true, remaining: 2 });
});

it("a client with 20,000 addresses of one /64 does not push out the count of another", () => {
  const limiter = createAddressLimiter(() => noon, 1);
  limiter.count("41.90.1.2");
  for (let host = 0; host < 20_000; host += 1) limiter.count(`2001:db8:1:2::${host.toString(16)}`);
  expect(limiter.count("41.90.1.2").allowed).toBe(false);
});
