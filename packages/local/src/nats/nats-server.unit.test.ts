import { expect, test } from "vitest";
import { findRelease } from "./nats-release.ts";
import { isRecentEnough } from "./nats-server.ts";

test.each([
  ["nats-server: v2.9.10", true],
  ["nats-server: v2.12.1", true],
  ["nats-server: v3.0.0", true],
  ["nats-server: v2.6.5", false],
  ["nats-server version 2.10", false],
  ["", false],
])("isRecentEnough answers for %j: %s", (text, answer) => {
  expect(isRecentEnough(text)).toBe(answer);
});

test("findRelease returns the release of the platform, or undefined for an unknown platform", () => {
  expect(findRelease("linux", "x64")?.url).toMatch(/-linux-amd64\.tar\.gz$/);
  expect(findRelease("darwin", "arm64")?.url).toMatch(/-darwin-arm64\.tar\.gz$/);
  expect(findRelease("aix", "ppc64")).toBeUndefined();
});
