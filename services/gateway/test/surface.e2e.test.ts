import { allRoutes, takesBody } from "@malipo/contracts";
import { allServices, call, dataOf, idIn, makeBusiness, useSystem } from "@malipo/testing";
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
