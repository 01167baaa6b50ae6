import { allRoutes, takesBody } from "@malipo/contracts";
import {
  allServices,
  type ApiAnswer,
  call,
  dataOf,
  idIn,
  makeBusiness,
  sendRaw,
  useSystem,
} from "@malipo/testing";
import { describe, expect, it } from "vitest";

const system = useSystem(allServices);
const { api } = system;
const someId = "507f1f77bcf86cd799439011";

describe("every public route", () => {
  const publicRoutes = allRoutes.filter(({ audience }) => audience === "public");
  const named = publicRoutes.map((route) => [`${route.method} ${route.path}`, route] as const);

  it.each(named)("%s answers 405 to every other method", async (_name, route) => {
    const allowed: string[] = publicRoutes
      .filter(({ path }) => path === route.path)
      .map(({ method }) => method);
    const all = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    for (const method of all.filter((each) => !allowed.includes(each))) {
      const { status, headers, body } = await api(method, route.path.replace(":id", someId));
      expect({ method, status }).toEqual({ method, status: 405 });
      expect(headers.get("allow")).toBe(allowed.join(", "));
      expect(body).toMatchObject({ success: false, code: "method_not_allowed" });
    }
  });

  it.each(named.filter(([, { params }]) => "id" in params))(
    "%s refuses a malformed id",
    async (_name, route) => {
      for (const id of [
        "1",
        "x".repeat(24),
        `${someId}0`,
        "%20",
        encodeURIComponent("../../x"),
        "a".repeat(900),
        "a".repeat(10_000),
      ]) {
        const { status, body } = await api(
          route.method,
          route.path.replace(":id", id),
          route.method === "GET" ? undefined : {},
        );
        expect(status).toBe(400);
        expect(body).toMatchObject({
          success: false,
          [route.errorField]: `Invalid ${route.params["id"]} ID`,
          code: "invalid_id",
        });
      }
    },
  );

  it.each(named.filter(([, { params }]) => "id" in params))(
    "%s answers 404 to an unknown id",
    async (_name, route) => {
      const { status, body } = await api(
        route.method,
        route.path.replace(":id", someId),
        route.method === "GET" ? undefined : {},
      );
      expect(status).toBe(404);
      expect(body).toMatchObject({ success: false, code: "not_found" });
      expect(body[route.errorField]).toMatch(/^[A-Z]\w+( \w+)* not found$/);
    },
  );

  it.each(named.filter(([, route]) => takesBody(route)))(
    "%s refuses invalid bodies",
    async (_name, route) => {
      const path = route.path.replace(":id", someId);
      // A route without a body ignores the content of one.
      const invalid: [string, Record<string, string>, number, string][] = takesBody(route)
        ? [
            ["{", {}, 400, "invalid_json"],
            route.body.safeParse(undefined).success
              ? ["", {}, 404, "not_found"]
              : ["", {}, 400, "invalid_request"],
            ["[]", {}, 400, "invalid_request"],
            ["null", {}, 400, "invalid_request"],
          ]
        : [["{", {}, 404, "not_found"]];
      const sent: [string, Record<string, string>, number, string][] = [
        ...invalid,
        [
          "title=x",
          { "content-type": "application/x-www-form-urlencoded" },
          415,
          "unsupported_content_type",
        ],
        ["{}", { "content-type": "text/plain" }, 415, "unsupported_content_type"],
        [JSON.stringify({ title: "x".repeat(300_000) }), {}, 413, "body_too_large"],
      ];
      for (const [body, headers, status, code] of sent) {
        const answer = await api(route.method, path, body, headers);
        expect({ body: body.slice(0, 20), ...answer.body, status: answer.status }).toMatchObject({
          status,
          code,
          success: false,
        });
        expect(answer.headers.get("content-type")).toContain("application/json");
        expect(answer.text).not.toMatch(/<html|at .*\.(ts|js):/);
      }
    },
  );
});

describe("the public API", () => {
  it("answers 404 to unknown paths, with and without a credential", async () => {
    for (const path of [
      "/",
      "/business",
      "/business/product/",
      "/business/product/list/",
      "/operator/business/create",
      "/%",
      "/business/product/list%00",
    ]) {
      for (const authorization of [undefined, system.business.secret]) {
        const { status, headers, body } = await call(
          system.gateway().apiUrl + path,
          "GET",
          authorization,
        );
        expect({ path, status, code: body["code"] }).toEqual({
          path,
          status: 404,
          code: "unknown_path",
        });
        expect(body["requestid"]).toEqual(expect.any(String));
        expect(headers.get("x-request-id")).toBe(body["requestid"]);
      }
    }
  });

  it("keeps a safe request id of the client and replaces an unsafe one", async () => {
    const kept = await api("GET", "/business/product/list", undefined, {
      "x-request-id": "order-2026.11",
    });
    expect(kept.headers.get("x-request-id")).toBe("order-2026.11");
    const replaced = await api("GET", "/business/product/list", undefined, {
      "x-request-id": "<script>",
    });
    expect(replaced.headers.get("x-request-id")).toMatch(/^req_/);
  });

  it("accepts the secret bare or after the word Bearer", async () => {
    const list = `${system.gateway().apiUrl}/business/product/list`;
    for (const scheme of ["", "Bearer ", "bearer  "]) {
      expect((await call(list, "GET", scheme + system.business.secret)).status).toBe(200);
    }
  });

  it("serves /openapi.json and /readyz without a credential", async () => {
    const { status, body } = await call(
      `${system.gateway().apiUrl}/openapi.json`,
      "GET",
      undefined,
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: "3.1.0" });
    expect((await call(`${system.gateway().apiUrl}/readyz`, "GET", undefined)).text).toBe(
      "ready\n",
    );
  });
});

const bodyMaxBytes = 256 * 1024;

/** A product in JSON of this size. Spaces do not count for any other limit. */
const productOf = (bytes: number) =>
  `{"title":"Chai","price":30${" ".repeat(bytes - '{"title":"Chai","price":30}'.length)}}`;

/** Sent in chunks, a body does not announce its size. */
async function createInChunks(body: string): Promise<number | undefined> {
  const head = [
    "POST /business/product/create HTTP/1.1",
    "host: x",
    `authorization: ${system.business.secret}`,
    "content-type: application/json",
    "transfer-encoding: chunked",
    "connection: close",
  ];
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const bytes = `${head.join("\r\n")}\r\n\r\n${chunk}`;
  return (await sendRaw(system.gateway().apiUrl, bytes)).at(-1)?.status;
}

describe("a body", () => {
  it("of exactly 256 KiB is accepted", async () => {
    const body = productOf(bodyMaxBytes);
    expect(Buffer.byteLength(body)).toBe(262_144);
    expect((await api("POST", "/business/product/create", body)).status).toBe(201);
    expect(await createInChunks(body)).toBe(201);
  });

  it("of one byte more gets a 413", async () => {
    const body = productOf(bodyMaxBytes + 1);
    const answer = await api("POST", "/business/product/create", body);
    expect([answer.status, answer.body["code"]]).toEqual([413, "body_too_large"]);
    expect(await createInChunks(body)).toBe(413);
  });
});

const askOperator = async (path: string, token = system.gateway().operatorToken) =>
  call(system.gateway().operatorUrl + path, "GET", token && `Bearer ${token}`);
const askPublic = async (method: string, path: string, authorization?: string) =>
  call(system.gateway().apiUrl + path, method, authorization);

describe("every JSON answer", () => {
  const product = { title: "Chai", price: 30 };
  const key = { "idempotency-key": "the same" };
  const create = "/business/product/create";

  it.each<[string, number, () => Promise<ApiAnswer>]>([
    ["a list", 200, async () => api("GET", "/business/product/list")],
    ["a creation", 201, async () => api("POST", create, product, key)],
    ["a replayed answer", 201, async () => api("POST", create, product, key)],
    ["an invalid body", 400, async () => api("POST", create, "{")],
    ["no credential", 401, async () => askPublic("GET", "/business/product/list")],
    ["a wrong credential", 401, async () => askPublic("GET", "/business/product/list", "nonsense")],
    ["an unknown path", 404, async () => api("GET", "/nowhere")],
    ["a malformed path", 404, async () => api("GET", "/%")],
    ["an unknown record", 404, async () => api("GET", `/business/product/details/${someId}`)],
    ["another method", 405, async () => api("DELETE", create)],
    ["a body that is too large", 413, async () => api("POST", create, " ".repeat(300_000))],
    [
      "another type of body",
      415,
      async () => api("POST", create, "x", { "content-type": "text/plain" }),
    ],
    ["a reused key", 422, async () => api("POST", create, { ...product, price: 31 }, key)],
    ["a forged callback", 200, async () => askPublic("POST", "/callbacks/stk/forged")],
    ["the OpenAPI document", 200, async () => askPublic("GET", "/openapi.json")],
    ["the operator API", 200, async () => askOperator("/operator/health")],
    ["the operator API without a token", 401, async () => askOperator("/operator/health", "")],
    ["an unknown path of the operator API", 404, async () => askOperator("/operator/nowhere")],
  ])("has no-store and nosniff: %s", async (_name, status, ask) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
  });
});

describe("the records of another business", () => {
  it("are not found, not listed and not changed", async () => {
    const other = await makeBusiness(system.gateway());
    const product = idIn(
      await api("POST", "/business/product/create", { title: "Sukari", price: 200 }),
    );
    const customer = idIn(await api("POST", "/business/customer/create", { name: "Asha" }));
    const asOther = (method: string, path: string, body?: unknown) =>
      call(system.gateway().apiUrl + path, method, other.secret, body);

    expect((await asOther("GET", `/business/product/details/${product}`)).status).toBe(404);
    expect((await asOther("GET", `/business/customer/details/${customer}`)).status).toBe(404);
    expect(
      (await asOther("PATCH", `/business/customer/update/${customer}`, { name: "Mine" })).status,
    ).toBe(404);
    expect((await asOther("GET", "/business/product/list")).body).toMatchObject({
      data: [],
      meta: { total: 0 },
    });
    expect(dataOf(await api("GET", `/business/customer/details/${customer}`))["name"]).toBe("Asha");
  });
});
