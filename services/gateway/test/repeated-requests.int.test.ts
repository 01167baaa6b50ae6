import { randomBytes, randomUUID } from "node:crypto";
import { type ProductView, routes } from "@malipo/contracts";
import { err, fault, type FaultCode, ok } from "@malipo/core";
import {
  openService,
  platformConfig,
  readConfig,
  type RouteHandler,
  serveRoutes,
} from "@malipo/platform";
import {
  crashAtEachWrite,
  environmentOn,
  settableClock,
  startStoreProxy,
  useSharedServers,
} from "@malipo/testing";
import type { FastifyInstance } from "fastify";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createSecret } from "../src/credentials/secret.ts";
import type { Principal } from "../src/domain/principal.ts";
import { openPublicApp } from "./open-public-app.ts";

const servers = useSharedServers();
const clock = settableClock(new Date("2026-11-21T08:00:00Z"));
const limits = { second: 100_000, minute: 100_000, day: 100_000 };
const duka: Principal = {
  credentialid: "507f1f77bcf86cd799439012",
  businessid: "507f1f77bcf86cd799439011",
  plan: "enterprise",
  limits,
  suspended: false,
  expiresat: null,
};
const secret = createSecret("sandbox", randomBytes(32));

interface Product {
  readonly _id: string;
  readonly operationid: string | undefined;
}

const client = new MongoClient(servers.mongodbUri);
const products = client.db(`${servers.namespace}_products`).collection<Product>("products");
/** The refusals of the next requests, each sent after the product is created. */
let failures: FaultCode[] = [];

/** Creates one product for each operation, as every service does. */
const createProduct: RouteHandler<typeof routes.createProduct> = async ({ cause, body }) => {
  const { operationid } = cause;
  const id = randomBytes(12).toString("hex");
  const found = await products.findOneAndUpdate(
    { operationid: operationid ?? id },
    { $setOnInsert: { _id: id } },
    { upsert: true, returnDocument: "after" },
  );
  const failure = failures.shift();
  if (failure) return err(fault(failure));
  const at = clock.now().toISOString();
  const data: ProductView = {
    _id: String(found?._id),
    title: body.title,
    price: body.price,
    description: null,
    createdat: at,
    updatedat: at,
  };
  return ok({ data });
};

beforeAll(async () => {
  const config = readConfig(platformConfig, environmentOn(servers));
  const sources = { clock: clock.now, random: Math.random };
  const invoice = await openService("invoice", config, sources);
  const { createProduct: route } = routes;
  await serveRoutes(invoice, { createProduct: () => createProduct }, undefined, {
    createProduct: route,
  });
  return async () => invoice.shutdown.begin("the tests are over");
});
afterAll(async () => client.close());
beforeEach(async () => {
  failures = [];
  await products.deleteMany({});
});

async function openApp(mongodbUri = servers.mongodbUri): Promise<FastifyInstance> {
  return openPublicApp({ ...servers, mongodbUri }, { clock: clock.now, principal: duka });
}

async function create(app: FastifyInstance, key: string, title = "Chai") {
  const answer = await app.inject({
    method: "POST",
    url: "/business/product/create",
    headers: { authorization: secret, "idempotency-key": key },
    payload: { title, price: 30 },
  });
  return {
    status: answer.statusCode,
    id: answer.json().data?._id as string | undefined,
    isReplayed: answer.headers["idempotent-replayed"] === "true",
  };
}

describe("a request with a key", () => {
  it.each<[number, FaultCode]>([
    [500, "internal_error"],
    [502, "provider_unreachable"],
    [503, "service_unavailable"],
    [504, "outcome_unknown"],
  ])("that was carried out and answered %i has no second effect", async (status, code) => {
    const app = await openApp();
    failures = [code];
    const key = randomUUID();
    expect(await create(app, key)).toMatchObject({ status });
    const repeated = await create(app, key);
    expect(repeated).toMatchObject({ status: 201, isReplayed: false });
    expect(await create(app, key)).toEqual({ ...repeated, isReplayed: true });
    expect(await products.countDocuments()).toBe(1);
  });

  it("that was answered 500 keeps its key: another request with it gets 422", async () => {
    const app = await openApp();
    failures = ["internal_error"];
    const key = randomUUID();
    expect(await create(app, key)).toMatchObject({ status: 500 });
    expect(await create(app, key, "Kahawa")).toMatchObject({ status: 422 });
  });

  it("that was refused frees its key for another request", async () => {
    const app = await openApp();
    failures = ["conflict"];
    const key = randomUUID();
    expect(await create(app, key)).toMatchObject({ status: 409 });
    expect(await create(app, key, "Kahawa")).toMatchObject({ status: 201 });
  });

  it("has one effect and one answer, at whatever write its gateway dies", async () => {
    const proxy = await startStoreProxy(servers.mongodbUri);
    const [ours, other] = await Promise.all([openApp(proxy.mongodbUri), openApp()]);
    // The limits are leased once for many requests, so they are no part of this.
    await create(ours, randomUUID());
    const pattern = {
      where: ({
        q,
        owner,
        status,
      }: {
        q?: { owner?: unknown };
        owner?: unknown;
        status?: unknown;
      }) => [q?.owner, owner, status].some((field) => field !== undefined),
    };
    const points = await crashAtEachWrite(proxy, {
      pattern,
      prepare: async () => {
        await products.deleteMany({});
        return { key: randomUUID(), ids: new Set<string | undefined>() };
      },
      run: async ({ key, ids }) => {
        const { status, id } = await create(ours, key);
        expect([201, 503]).toContain(status);
        if (status === 201) ids.add(id);
      },
      runAgain: async ({ key, ids }) => {
        // The lease of the dead attempt ends.
        clock.advance(10_000);
        const { status, id } = await create(other, key);
        expect(status).toBe(201);
        ids.add(id);
      },
      check: async ({ key, ids }) => {
        expect(await create(other, key)).toMatchObject({ status: 201, isReplayed: true });
        expect(ids.size).toBe(1);
        expect(await products.countDocuments()).toBe(1);
      },
    });
    await proxy.close();
    expect(points.map(({ side, write }) => `${side} ${write.collection}`)).toEqual([
      "before idempotencykeys",
      "after idempotencykeys",
      "before idempotencyanswers",
      "after idempotencyanswers",
    ]);
  });
});
