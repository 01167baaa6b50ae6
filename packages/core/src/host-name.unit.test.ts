import { describe, expect, it } from "vitest";
import { isHostAmong, loopbackNames } from "./host-name.ts";

describe("isHostAmong", () => {
  it.each(["localhost", "LOCALHOST:8081", "127.0.0.1", "127.0.0.1:1", "[::1]:8081", "gateway:80"])(
    "accepts %s",
    (header) => {
      expect(isHostAmong(header, [...loopbackNames, "gateway"])).toBe(true);
    },
  );

  it.each([
    undefined,
    "",
    "evil.example",
    "evil.example:8081",
    "localhost.evil.example",
    "localhost@evil.example",
    "evil.example/localhost",
    "evil.example#localhost",
    "localhost, evil.example",
    "localhost.",
    "127.0.0.1.nip.io",
    "0.0.0.0",
    "127.0.0.2",
    "[::]",
    "::1",
    "localhost:99999",
    "localhost:x",
    "gateway",
  ])("refuses %s", (header) => {
    expect(isHostAmong(header, loopbackNames)).toBe(false);
  });
});
