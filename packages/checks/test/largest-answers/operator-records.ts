import { deadSubject } from "@malipo/contracts";
import { eventually, type UsedSystem } from "@malipo/testing";
import { jetstream } from "@nats-io/jetstream";
import { connect, headers } from "@nats-io/transport-node";
import { copy, created, pageSize, type Paths, quotes, wide } from "./copies.ts";

export async function createOperatorRecords(system: UsedSystem): Promise<Paths> {
  const { operator, business, servers } = system;
  const { businessid } = business;
  await created(
    operator("PATCH", `/operator/business/set/${businessid}`, { displayname: wide(200) }),
  );
  const key = await created(operator("POST", `/operator/key/issue/${businessid}`, {}));
  const run = await created(operator("POST", "/operator/run/start", { job: "invoices-overdue" }));
  const runId = String(run["_id"]);
  await eventually(async () => {
    const { status } = await created(operator("GET", `/operator/run/details/${runId}`));
    if (status === "waiting" || status === "running") throw new Error("the run goes on");
  });
  await copy(system, ["gateway", "businesses"], businessid, { change: { name: wide(200) } });
  await copy(system, ["gateway", "credentials"], key["_id"]);
  await copy(system, ["scheduler", "runs"], runId, {
    change: { "progress.problem": wide(5_000) },
  });
  await publishDeadLetters(servers);
  return {
    listBusinesses: `/operator/business/list?limit=${pageSize}`,
    getBusiness: `/operator/business/details/${businessid}`,
    getSettings: "/business/settings",
    listKeys: `/operator/key/list/${businessid}?limit=${pageSize}`,
    listJobs: "/operator/job/overview",
    listRuns: `/operator/run/list?limit=${pageSize}`,
    getRun: `/operator/run/details/${runId}`,
    listDeadLetters: `/operator/dead/letters?limit=${pageSize}`,
    checkHealth: "/operator/health",
  };
}

/** Bodies and reasons that are longer in JSON than on the stream. */
async function publishDeadLetters({ natsUrl, namespace }: UsedSystem["servers"]): Promise<void> {
  const nats = await connect({ servers: natsUrl });
  const stream = jetstream(nats);
  const written = headers();
  written.set("reason", quotes(1_000));
  written.set("subject", `${namespace}.event.invoice.paid`);
  written.set("event", "evt_6743f1b2c9e8a45d3f0b7c23");
  const body = "\u0001".repeat(10_000);
  for (let sent = 0; sent < pageSize; sent += 1) {
    await stream.publish(deadSubject(namespace, "webhook-on-event"), body, { headers: written });
  }
  await nats.close();
}
