import type { Service } from "@malipo/platform";
import { fastify } from "fastify";
import { expect, it } from "vitest";
import { observe } from "./observe.ts";

const slowMs = 12;

it("the duration of a request is measured and logged", async () => {
  const lines: object[] = [];
  const exported: Service["metrics"]["exported"] = [];
  const service = {
    log: { info: (line: object) => lines.push(line) },
    metrics: { exported },
    clock: () => new Date(),
  } as unknown as Service;
  const app = fastify();
  observe(app, service);
  const closed = Promise.withResolvers<void>();
  app.get("/slow", (_request, reply) => {
    const began = performance.now();
    while (performance.now() - began < slowMs);
    reply.raw.once("close", closed.resolve);
    reply.send("done");
  });
  await app.inject("/slow");
  await closed.promise;

  expect(lines).toMatchObject([{ ms: expect.toSatisfy((ms) => ms >= slowMs) }]);
  const [seconds] = exported;
  expect(seconds?.name).toBe("http_server_request_duration_seconds");
  expect(await seconds?.read()).toMatchObject([
    [{ http_route: "/slow" }, { count: 1, sum: expect.toSatisfy((sum) => sum >= slowMs / 1_000) }],
  ]);
});
