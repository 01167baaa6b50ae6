import { randomBytes } from "node:crypto";
import { type ApiAnswer, call, makeBusiness, useSystem } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { createSecret } from "../src/credentials/secret.ts";

const system = useSystem(["invoice"], { gateways: 2 });
async function list(
  secret: string,
  index = 0,
  path = "/business/customer/list",
): Promise<ApiAnswer> {
  return call(system.gateway(index).apiUrl + path, "GET", secret);
}

const secondOf = (answer: ApiAnswer) => Number(answer.headers.get("x-ratelimit-reset"));

describe("rate limits", () => {
  it("answer 429 with the documented body beyond the plan, over two gateways", async () => {
    const { secret } = await makeBusiness(system.gateway(), { plan: "free" });
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => list(secret, index)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    const admitted = answers.filter(({ status }) => status === 200);
    // Five a second; the burst may have reached into the next second.
    const seconds = new Set(admitted.map(secondOf)).size;
    expect(admitted.length).toBeLessThanOrEqual(5 * Math.max(2, seconds));
    expect(admitted.length + refused.length).toBe(40);
    for (const { body, headers } of refused) {
      expect(body).toEqual({
        success: false,
        error: "Rate limit exceeded. Please try again later.",
        code: "rate_limited",
        retry_after: expect.any(Number),
        requestid: expect.any(String),
      });
      expect(headers.get("retry-after")).toBe(String(body["retry_after"]));
      expect(headers.get("x-ratelimit-remaining")).toBe("0");
    }
  });

  it("count per credential, so another business is not affected", async () => {
    const hurried = await makeBusiness(system.gateway(), { plan: "free" });
    const calm = await makeBusiness(system.gateway(), { plan: "free" });
    await Promise.all(Array.from({ length: 30 }, async () => list(hurried.secret)));
    expect((await list(calm.secret)).status).toBe(200);
  });

  it("are in the headers of every answer, refusals included, and describe the plan", async () => {
    const { secret } = await makeBusiness(system.gateway(), { plan: "starter" });
    const answer = await list(secret);
    expect(answer.headers.get("x-ratelimit-limit")).toBe("10");
    expect(answer.headers.get("x-ratelimit-remaining")).toBe("9");
    expect(secondOf(answer) - Date.now() / 1_000).toBeLessThanOrEqual(1);
    for (const path of ["/business/product/details/nonsense", "/nowhere"]) {
      const refused = await list(secret, 0, path);
      expect(refused.headers.get("x-ratelimit-limit")).toMatch(/^\d+$/);
    }
  });

  it("have no windows of product routes for an enterprise", async () => {
    const { secret } = await makeBusiness(system.gateway());
    const answers = await Promise.all(
      Array.from({ length: 150 }, async () => list(secret, 0, "/business/product/list")),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(150);
    expect(answers[0]?.headers.get("x-ratelimit-limit")).toBe("100000");
  });
});

describe("wrong credentials", () => {
  it("limit their address only", async () => {
    const url = `${system.gateway().apiUrl}/business/product/list`;
    const sendWrongSecret = async (address: string) =>
      call(url, "GET", createSecret("sandbox", randomBytes(32)), undefined, {
        "x-forwarded-for": address,
      });
    // The count begins anew with each minute, so too few seconds of this one are not enough.
    const secondsNeeded = 10;
    let answer: ApiAnswer;
    do answer = await sendWrongSecret("10.1.1.1");
    while (answer.status === 401 || Number(answer.headers.get("retry-after")) < secondsNeeded);
    expect(answer.status).toBe(429);
    expect((await sendWrongSecret("10.1.1.2")).status).toBe(401);
    const { secret } = await makeBusiness(system.gateway());
    const from = (address: string) =>
      call(url, "GET", secret, undefined, { "x-forwarded-for": address });
    // A limited address may use a secret only if this gateway has accepted it before.
    expect((await from("10.1.1.1")).status).toBe(429);
    expect((await from("10.1.1.2")).status).toBe(200);
    expect((await from("10.1.1.1")).status).toBe(200);
    const settings = `${system.gateway().apiUrl}/business/settings/update`;
    expect((await call(settings, "PATCH", secret, { displayname: "Duka Jipya" })).status).toBe(200);
    expect((await from("10.1.1.1")).status).toBe(200);
  });
});
