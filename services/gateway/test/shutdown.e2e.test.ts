import { Agent, get } from "node:http";
import { idIn, call, makeBusiness, startSystem, useSharedServers } from "@malipo/testing";
import { expect, it } from "vitest";

const servers = useSharedServers();
const clients = 16;

it("a shutdown under load fails no request of a client that stops when /readyz answers 503", async () => {
  const system = await startSystem(servers, ["invoice"], {
    env: { SHUTDOWN_DELAY_MS: "500" },
    ownProcess: ["gateway", "invoice"],
  });
  const gateway = system.services["gateway"];
  const { secret } = await makeBusiness(system);
  const created = await call(`${system.apiUrl}/business/product/create`, "POST", secret, {
    title: "Chai",
    price: 30,
  });
  const url = `${system.apiUrl}/business/product/details/${idIn(created)}`;
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const statuses = new Map<number | string, number>();
  const seen = { notReady: false };

  /** Like a load balancer: polls readiness, and sends no request after a 503. */
  async function watchReadiness(): Promise<void> {
    while (!seen.notReady) seen.notReady = (await statusOf(`${system.apiUrl}/readyz`)) !== 200;
  }

  async function keepSending(): Promise<void> {
    while (!seen.notReady) {
      const status = await statusOf(url);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }

  function statusOf(target: string): Promise<number | string> {
    return new Promise((resolve) => {
      get(target, { agent, headers: { authorization: secret } }, (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
      }).on("error", (error) => resolve(String(error)));
    });
  }

  const sending = Promise.all([watchReadiness(), ...Array.from({ length: clients }, keepSending)]);
  while ((statuses.get(200) ?? 0) < 200) await statusOf(url);
  const stopped = system.stop();
  await sending;
  await stopped;
  agent.destroy();
  expect([...statuses.keys()]).toEqual([200]);
  expect(gateway?.pid()).toBeUndefined();
});
