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

describe("a service that starts before what it stands on", () => {
  const words = [/waiting for NATS/, /waiting for the store/];

  it("says what it waits for, and begins when that is there", async () => {
    await Promise.all([nats.stop(), store.stop()]);
    const ready = service.start();
    await eventually(() => {
      for (const word of words) expect(service.log()).toMatch(word);
    }, 15_000);
    await Promise.all([nats.start(), store.start()]);
    await ready;
    expect(await service.stop()).toBe("exit code 0");
  });

  it("ends in order when it is told to while it waits", async () => {
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

describe("a service that is told to stop", () => {
  it.each([
    ["NATS", () => nats],
    ["the store", () => store],
  ])("ends in order, also while %s stands still", async (_name, victim) => {
    await service.start();
    victim().pause();
    try {
      expect(await service.stop()).toBe("exit code 0");
    } finally {
      victim().resume();
    }
  });
});

describe("a service that cannot run", () => {
  it("says which variables do not fit, and ends", async () => {
    const unfit = await prepareService("invoice", { NATS_URL: "localhost", NAMESPACE: "Ö" });
    await expect(unfit.start()).rejects.toThrow("exit code 1");
    for (const name of ["NATS_URL", "MONGODB_URI", "NAMESPACE"]) {
      expect(unfit.log()).toContain(name);
    }
    expect(unfit.log()).not.toContain("localhost");
  });
});
