import { expect, it } from "vitest";
import { isNetwork, trustProxies } from "./trusted-proxies.ts";

const isTrusted = trustProxies(["10.0.0.0/8", "127.0.0.1", "2001:db8::/32"]);

it.each([
  ["10.200.3.4", true],
  ["::ffff:10.200.3.4", true],
  ["127.0.0.1", true],
  ["2001:db8:7::1", true],
  ["127.0.0.2", false],
  ["11.0.0.1", false],
  ["2001:db9::1", false],
  ["not an address", false],
  ["", false],
])("%s is trusted: %s", (address, expected) => {
  expect(isTrusted(address)).toBe(expected);
});

it("without proxies no address is trusted", () => {
  expect(trustProxies([])("127.0.0.1")).toBe(false);
});

it.each([
  ["10.0.0.1", true],
  ["10.0.0.0/8", true],
  ["2001:db8::/128", true],
  ["proxy.example", false],
  ["10.0.0.0/33", false],
  ["10.0.0/8", false],
  ["10.0.0.0/", false],
  ["10.0.0.0/8/8", false],
])("%s is an address or a network: %s", (text, expected) => {
  expect(isNetwork(text)).toBe(expected);
});
