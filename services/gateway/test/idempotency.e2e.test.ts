import { randomUUID } from "node:crypto";
import {
  type ApiAnswer,
  call,
  dataOf,
  eventually,
  idIn,
  makeBusiness,
  useSystem,
} from "@malipo/testing";
import { describe, expect, it } from "vitest";

const system = useSystem(["invoice"], { gateways: 2, ownProcess: ["gateway", "invoice"] });
const { api } = system;
const createPath = "/business/product/create";
const product = { title: "Unga", price: 189.5 };

async function create(
  key: string,
  body: unknown = product,
  gateway = 0,
  by = system.business.secret,
): Promise<ApiAnswer> {
  return call(system.gateway(gateway).apiUrl + createPath, "POST", by, body, {
    "idempotency-key": key,
  });
}

async function countProducts(by = system.business.secret): Promise<unknown> {
  const { body } = await call(`${system.gateway().apiUrl}/business/product/list`, "GET", by);
  return (body["meta"] as { total: number }).total;
}

describe("an Idempotency-Key", () => {
  it("repeats the first answer byte for byte at every gateway", async () => {
    const key = randomUUID();
    const before = await countProducts();
    const first = await create(key);
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([201, null]);
    for (const gateway of [0, 1]) {
      const again = await create(`"${key}"`, product, gateway);
      expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([
        201,
        first.text,
        "true",
      ]);
    }
    expect(await countProducts()).toBe(Number(before) + 1);
  });

  it("is refused for another request, and unused for another business and another route", async () => {
    const key = randomUUID();
    const first = await create(key);
    const other = await create(key, { ...product, price: 1 });
    expect([other.status, other.body["code"]]).toEqual([422, "idempotency_key_reused"]);
    const neighbour = await makeBusiness(system.gateway());
    expect(idIn(await create(key, product, 0, neighbour.secret))).not.toBe(idIn(first));
    const headers = { "idempotency-key": key };
    const customer = await api("POST", "/business/customer/create", { name: "A" }, headers);
    expect(customer.status).toBe(201);
  });

  it("has one effect when sent 100 times at once to two gateways", async () => {
    const key = randomUUID();
    const before = await countProducts();
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => create(key, product, index)),
    );
    const created = answers.filter(({ status }) => status === 201);
    const running = answers.filter(({ status }) => status === 409);
    expect(created.length + running.length).toBe(100);
    expect(created.length).toBeGreaterThan(0);
    expect(new Set(created.map(({ text }) => text)).size).toBe(1);
    for (const { body, headers } of running) {
      expect(body["code"]).toBe("idempotency_key_in_use");
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect(await countProducts()).toBe(Number(before) + 1);
  });

  it("can be used again after a refusal", async () => {
    const key = randomUUID();
    expect((await create(key, { title: "Unga" })).status).toBe(400);
    expect((await create(key)).status).toBe(201);
  });

  it("repeats the success of an update without a second effect", async () => {
    const customer = await api("POST", "/business/customer/create", { name: "Asha" });
    const path = `/business/customer/update/${idIn(customer)}`;
    const key = { "idempotency-key": randomUUID() };
    const first = await api("PATCH", path, { name: "Asha W." }, key);
    await api("PATCH", path, { name: "Asha M." });
    const again = await api("PATCH", path, { name: "Asha W." }, key);
    expect([again.status, again.text]).toEqual([200, first.text]);
    const read = await api("GET", `/business/customer/details/${idIn(customer)}`);
    expect(dataOf(read)["name"]).toBe("Asha M.");
  });

  it.each(["", "x".repeat(256)])("is refused with the value %j", async (key) => {
    const answer = await create(key);
    expect([answer.status, answer.body["code"]]).toEqual([400, "invalid_idempotency_key"]);
  });
});

async function untilAnswered(key: string, by: string): Promise<ApiAnswer> {
  return eventually(async () => {
    const answer = await create(key, product, 0, by);
    expect(answer.status).toBe(201);
    return answer;
  }, 30_000);
}

async function killDuring(victim: "gateway" | "invoice", keys: readonly string[], by: string) {
  const process = system.gateway().services[victim];
  if (!process) throw new Error(`${victim} was not started`);
  const attempts = keys.map(async (key) => create(key, product, 0, by).catch(() => undefined));
  await Promise.race(attempts);
  await process.kill();
  await Promise.all(attempts);
  await process.start();
}

describe("a service killed during requests with keys", () => {
  it.each(["gateway", "invoice"] as const)(
    "%s: no product is lost and none is created twice",
    { timeout: 120_000 },
    async (victim) => {
      const { secret } = await makeBusiness(system.gateway());
      const keys = Array.from({ length: 60 }, () => randomUUID());
      for (const from of [0, 20, 40]) {
        await killDuring(victim, keys.slice(from, from + 20), secret);
      }
      const answers = await Promise.all(keys.map(async (key) => untilAnswered(key, secret)));
      expect(new Set(answers.map(idIn)).size).toBe(60);
      expect(await countProducts(secret)).toBe(60);
    },
  );
});
