import {
  eventually,
  freshNamespace,
  prepareService,
  type ServiceProcess,
  startNatsServer,
  startStore,
  type TestServer,
} from "@malipo/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

let nats: TestServer;
let store: TestServer;
let service: ServiceProcess;

beforeAll(async () => {
  [nats, store] = await Promise.all([startNatsServer(), startStore()]);
});
beforeEach(async () => {
  service = await prepareService("invoice", {
    NATS_URL: nats.url,
    MONGODB_URI: store.url,
    NAMESPACE: freshNamespace(),
    LOG_LEVEL: "warn",
  });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([nats.stop(), store.stop()]);
});

describe("a service that starts before NATS and the store", () => {
  const messages = [/waiting for NATS/, /waiting for the store/];

  it("logs what it waits for, and starts when both are available", async () => {
    await Promise.all([nats.stop(), store.stop()]);
    const ready = service.start();
    await eventually(() => {
      for (const message of messages) expect(service.log()).toMatch(message);
    }, 15_000);
    await Promise.all([nats.start(), store.start()]);
    await ready;
    expect(await service.stop()).toBe("exit code 0");
  });

  it("exits with code 0 when it is stopped while it waits", async () => {
    await store.stop();
    try {
      const started = service.start().then(
        () => "ready",
        (error: Error) => error.message,
      );
      await eventually(() => expect(service.log()).toMatch(/waiting for the store/), 15_000);
      expect(await service.stop()).toBe("exit code 0");
      expect(await started).toContain("exit code 0");
    } finally {
      await store.start();
    }
  });
});

describe("a running service that is stopped", () => {
  it.each([
    ["NATS", () => nats],
    ["the store", () => store],
  ])("exits with code 0 while %s does not respond", async (_name, victim) => {
    await service.start();
    victim().pause();
    try {
      expect(await service.stop()).toBe("exit code 0");
    } finally {
      victim().resume();
    }
  });
});

describe("a service with invalid configuration", () => {
  it("logs the names of the invalid variables without their values, and exits with code 1", async () => {
    const misconfigured = await prepareService("invoice", {
      NATS_URL: "localhost",
      NAMESPACE: "Ö",
    });
    await expect(misconfigured.start()).rejects.toThrow("exit code 1");
    for (const name of ["NATS_URL", "MONGODB_URI", "NAMESPACE"]) {
      expect(misconfigured.log()).toContain(name);
    }
    expect(misconfigured.log()).not.toContain("localhost");
  });
});
