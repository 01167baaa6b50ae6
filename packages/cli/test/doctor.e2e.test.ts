import { eventSubject } from "@malipo/contracts";
import { allServices, eventually, useSystem } from "@malipo/testing";
import { jetstream } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { expect, it } from "vitest";
import { createOperator, environmentOf, runMalipo } from "./malipo.ts";

const system = useSystem(allServices, { ownProcess: ["gateway", "payment", "subscription"] });
const operator = createOperator(system);
const recoveryMs = 20_000;

/** Runs doctor, which must find something wrong, and returns its output. */
async function runFailingDoctor(): Promise<string> {
  const { code, stdout, stderr } = await operator.run("doctor");
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/(is|are) wrong\.\n$/),
  });
  return stdout;
}

it("doctor reports that all is well in a healthy system", async () => {
  const { code, stdout } = await eventually(async () => {
    const ended = await operator.run("doctor");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    return ended;
  }, recoveryMs);
  expect(code).toBe(0);
  for (const name of ["gateway", ...allServices]) {
    expect(stdout).toMatch(
      new RegExp(`^well +${name} +runs: version \\S+, Node 24\\.\\S+, NATS `, "m"),
    );
  }
  expect(stdout).toMatch(/\nAll is well\.\n$/);
  const record = await operator.record("doctor");
  expect(record).toMatchObject({ well: true });
  expect(record["findings"]).toHaveLength(6);
});

it("doctor --help describes the command", async () => {
  const { stdout } = await runMalipo(["doctor", "--help"]);
  expect(stdout).toContain("say in plain words what is wrong");
});

it("doctor reports a wrong operator token, and where to find the right one", async () => {
  const ended = await runMalipo(["doctor"], {
    env: { ...environmentOf(system), MALIPO_OPERATOR_TOKEN: "another" },
  });
  expect(ended.code).toBe(1);
  expect(ended.stdout).toContain("does not know this operator token");
  expect(ended.stdout).toContain("OPERATOR_TOKEN");
});

it("doctor reports a missing index", async () => {
  await system.database("subscription").collection("subscriptions").dropIndex("due");
  const output = await runFailingDoctor();
  expect(output).toMatch(/^wrong +subscription +misses the index subscriptions\.due\.\n +Restart/m);
  await system.gateway().services["subscription"]?.stop();
  await system.gateway().services["subscription"]?.start();
  await eventually(async () => (await operator.run("doctor")).code === 0, recoveryMs);
});

it("doctor reports dead letters", async () => {
  const nats = await connect({ servers: system.servers.natsUrl });
  const { namespace } = system.servers;
  await jetstream(nats).publish(eventSubject(namespace, "product.created"), "no event");
  await nats.close();
  const output = await eventually(runFailingDoctor, recoveryMs);
  expect(output).toMatch(
    /^wrong +system +\d+ events? could not be applied.*\n +See malipo dead list/m,
  );
});

it("doctor reports a service and a gateway that do not run", async () => {
  const { services } = system.gateway();
  await services["payment"]?.stop();
  const output = await runFailingDoctor();
  expect(output).toMatch(/^wrong +payment +does not run, or has no connection.*\n +Start payment/m);
  expect(output).toMatch(/^well +invoice/m);
  await services["gateway"]?.stop();
  const ended = await operator.run("doctor", "--json");
  expect(ended.code).toBe(1);
  expect(JSON.parse(ended.stdout)).toMatchObject({
    well: false,
    findings: [
      {
        about: "gateway",
        state: "wrong",
        says: expect.stringContaining("Cannot reach"),
        advice: expect.stringContaining("Start the gateway"),
      },
    ],
  });
});
