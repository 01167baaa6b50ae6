import { eventSubject } from "@malipo/contracts";
import { allServices, eventually, useSystem } from "@malipo/testing";
import { jetstream } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { expect, it } from "vitest";
import { environmentOf, malipo, operatorOf } from "./malipo.ts";

const system = useSystem(allServices);
const operator = operatorOf(system);
const recoveryMs = 20_000;

/** What it says, when it says that something is wrong. */
async function wrongs(): Promise<string> {
  const { code, stdout, stderr } = await operator.run("doctor");
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/(is|are) wrong\.\n$/),
  });
  return stdout;
}

it("finds a system that is well to be well", async () => {
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

it("says what it is, for those who ask", async () => {
  const { stdout } = await malipo(["doctor", "--help"]);
  expect(stdout).toContain("say in plain words what is wrong");
});

it("names an operator's token that is wrong, and where to find the right one", async () => {
  const ended = await malipo(["doctor"], {
    env: { ...environmentOf(system), MALIPO_OPERATOR_TOKEN: "another" },
  });
  expect(ended.code).toBe(1);
  expect(ended.stdout).toContain("does not know this operator token");
  expect(ended.stdout).toContain("OPERATOR_TOKEN");
});

it("names an index that somebody dropped", async () => {
  await system.database("subscription").collection("subscriptions").dropIndex("due");
  const said = await wrongs();
  expect(said).toMatch(/^wrong +subscription +misses the index subscriptions\.due\.\n +Restart/m);
  await system.gateway().services["subscription"]?.stop();
  await system.gateway().services["subscription"]?.start();
  await eventually(async () => (await operator.run("doctor")).code === 0, recoveryMs);
});

it("names events that lie aside", async () => {
  const nats = await connect({ servers: system.servers.natsUrl });
  const { namespace } = system.servers;
  await jetstream(nats).publish(eventSubject(namespace, "product.created"), "no event");
  await nats.close();
  const said = await eventually(wrongs, recoveryMs);
  expect(said).toMatch(
    /^wrong +system +\d+ events? could not be applied.*\n +See malipo dead list/m,
  );
});

it("names a service that does not run, and a gateway that does not", async () => {
  const { services } = system.gateway();
  await services["payment"]?.stop();
  const said = await wrongs();
  expect(said).toMatch(/^wrong +payment +does not run, or has no connection.*\n +Start payment/m);
  expect(said).toMatch(/^well +invoice/m);
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
