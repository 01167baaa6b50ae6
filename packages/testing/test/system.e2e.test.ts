import { expect, it } from "vitest";
import { useSystem } from "../src/used-system.ts";

const system = useSystem(["invoice", "payment"], { ownProcess: ["payment"] });

function service(name: string) {
  const found = system.gateway().services[name];
  if (!found) throw new Error(`${name} does not run`);
  return found;
}

it("services share one process, except those in ownProcess", () => {
  const shared = service("gateway").pid();
  expect(shared).toBeDefined();
  expect(service("invoice").pid()).toBe(shared);
  expect(service("payment").pid()).not.toBe(shared);
});

it("each service answers at a health address of its own", async () => {
  for (const name of ["gateway", "invoice", "payment"]) {
    const metrics = await fetch(`${service(name).healthUrl}/metrics`);
    expect(await metrics.text()).toContain(`service="${name}"`);
  }
});

it.each(["start", "stop", "kill", "pause", "resume"] as const)(
  "%s() throws for a service that shares its process",
  (control) => {
    expect(() => service("invoice")[control]()).toThrow(
      'invoice shares its process with other services: list it in "ownProcess".',
    );
  },
);

it("a service in ownProcess can be stopped while the others answer", async () => {
  expect(await service("payment").stop()).toBe("exit code 0");
  const created = await system.api("POST", "/business/product/create", {
    title: "Chai",
    price: 30,
  });
  expect(created.status).toBe(201);
});
