import { dataOf, eventually, readEvents, startSimulator, useSystem } from "@malipo/testing";
import { describe, expect, it } from "vitest";

const simulator = await startSimulator();
const system = useSystem(["payment"], {
  ownProcess: ["gateway", "payment"],
  env: { MPESA_BASE_URL: simulator.url, LOG_LEVEL: "trace" },
});
const { api, operator } = system;
const path = "/business/payments/mobile/request";

async function request(phone: string, amount = 100) {
  const answer = await api("POST", path, { amount, phone, channel: "momo" });
  return {
    status: answer.status,
    id: String(answer.body["transactionid"] ?? dataOf(answer)["transactionid"]),
  };
}

const transaction = async (id: string) =>
  dataOf(await api("GET", `/business/transaction/details/${id}`));

const promptOf = (phone: string) => {
  const found = simulator.prompts().findLast((each) => each.phone === phone);
  if (!found) throw new Error("no prompt");
  return found;
};

async function reaches(id: string, status: string) {
  return eventually(async () => {
    const found = await transaction(id);
    expect(found).toMatchObject({ status });
    return found;
  }, 15_000);
}

const typesOf = async (id: string) =>
  (await readEvents(system.servers))
    .filter(({ recordid, type }) => recordid === id && type.startsWith("payment."))
    .map(({ type }) => type);

async function suspenseOf(id: string) {
  const { body } = await operator("GET", "/operator/suspense/list?limit=100");
  const all = body["data"] as { _id: string; transactionid: string; kind: string }[];
  return all.filter(({ transactionid }) => transactionid === id);
}

const post = async (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body, headers });

describe("the callback route", () => {
  it("2: accepts a POST with any content type, and answers Accepted", async () => {
    const { id } = await request("254711100001");
    const { callbackurl, callbacks } = await eventually(() => {
      const prompt = promptOf("254711100001");
      expect(prompt.callbacks.map(({ status }) => status)).toEqual([200]);
      return prompt;
    });
    expect(callbackurl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callbacks\/stk\/[0-9a-f]{56}$/);
    await reaches(id, "completed");
    for (const type of ["text/plain", "application/json", "application/x-www-form-urlencoded"]) {
      const answer = await post(callbackurl, callbacks[0]?.body ?? "", { "content-type": type });
      expect({ type, status: answer.status }).toEqual({ type, status: 200 });
      expect(await answer.json()).toEqual({ ResultCode: 0, ResultDesc: "Accepted" });
    }
    expect((await fetch(callbackurl)).status).toBe(404);
    await eventually(async () =>
      expect(await typesOf(id)).toEqual(["payment.initiated", "payment.completed"]),
    );
  });

  it("answers 200 to a forged token, counts it, and stores nothing", async () => {
    const callbacks = system.database("payment").collection("callbacks");
    // One from the prompt and three from the previous test. They are stored soon after the answer.
    await eventually(async () => expect(await callbacks.countDocuments()).toBe(4));
    const { callbackurl } = promptOf("254711100001");
    const last = callbackurl.at(-1) === "0" ? "1" : "0";
    for (const forged of [
      callbackurl.slice(0, -1) + last,
      `${callbackurl}00`,
      callbackurl.slice(0, -32),
    ]) {
      expect((await post(forged, "{}")).status).toBe(200);
    }
    const metrics = await fetch(`${system.gateway().services["gateway"]?.healthUrl ?? ""}/metrics`);
    expect(await metrics.text()).toMatch(/malipo_callbacks_total\{outcome="forged".*\} 3/);
    expect(await callbacks.countDocuments()).toBe(4);
  });

  it("answers 413 to a body that is far larger than any callback", async () => {
    const { callbackurl } = promptOf("254711100001");
    expect((await post(callbackurl, "x".repeat(70_000))).status).toBe(413);
  });
});

describe("unusual callbacks", () => {
  it.each([
    ["254700100304", "completed", "three times at once"],
    ["254700100306", "completed", "before the request is answered"],
    ["254700100307", "cancelled", "cancelled, before the request is answered"],
    ["254700100505", "completed", "the result code is a string"],
    ["254700100506", "completed", "all numbers are strings"],
    ["254700100507", "completed", "the number is masked"],
    ["254700100508", "completed", "no number"],
    ["254700100510", "completed", "no balance"],
    ["254700100511", "completed", "a prefix to the text"],
    ["254700100515", "completed", "items in another order"],
    ["254700100502", "completed", "no receipt number"],
    ["254700100503", "completed", "no details"],
  ])("phone %s ends as %s when the callback is unusual: %s", async (phone, status) => {
    const { id } = await request(phone);
    await reaches(id, status);
    await eventually(() => expect(promptOf(phone).callbacks.length).toBeGreaterThan(0));
    const last = status === "completed" ? "payment.completed" : "payment.failed";
    await eventually(async () => expect(await typesOf(id)).toEqual(["payment.initiated", last]));
    expect(await suspenseOf(id)).toEqual([]);
  });

  it("complete a payment that is reported as paid, then as cancelled", async () => {
    const { id } = await request("254700100310");
    await eventually(() => expect(promptOf("254700100310").callbacks).toHaveLength(2));
    await reaches(id, "completed");
    await eventually(async () =>
      expect(await typesOf(id)).toEqual(["payment.initiated", "payment.completed"]),
    );
  });

  it("complete a payment that is reported as cancelled, then as paid, and emit both events", async () => {
    const { id } = await request("254700100311");
    await reaches(id, "completed");
    await eventually(async () =>
      expect(await typesOf(id)).toEqual([
        "payment.initiated",
        "payment.failed",
        "payment.completed",
      ]),
    );
  });

  it("complete a payment that is reported as paid and cancelled at the same moment", async () => {
    const { id } = await request("254700100313");
    await eventually(() => expect(promptOf("254700100313").callbacks).toHaveLength(2));
    await reaches(id, "completed");
  });

  it.each([
    ["254700100600", "both ids are made up", 1],
    ["254700100601", "the address is altered", 0],
    ["254700100602", "one id is made up", 1],
    ["254700100603", "no JSON", 0],
    ["254700100604", "other JSON", 0],
    ["254700100605", "empty", 0],
  ])(
    "do not complete the payment of phone %s when they are forged: %s",
    async (phone, _what, alerts) => {
      const { id } = await request(phone);
      await reaches(id, "cancelled");
      expect(await typesOf(id)).not.toContain("payment.completed");
      expect(await suspenseOf(id)).toHaveLength(alerts);
    },
  );
});

describe("unmatched money", () => {
  it.each([["254700100500"], ["254700100501"], ["254700100516"]])(
    "waits in suspense when the amount differs (phone %s), and completes the payment it is assigned to",
    async (phone) => {
      const { id } = await request(phone);
      const [entry] = await eventually(async () => {
        const found = await suspenseOf(id);
        expect(found).toMatchObject([{ kind: "wrong_amount", transactionid: id }]);
        return found;
      });
      expect(await transaction(id)).toMatchObject({ status: "pending" });
      const assign = `/operator/suspense/assign/${entry?._id ?? ""}`;
      const assigned = await operator("POST", assign, { transactionid: id });
      expect(assigned).toMatchObject({ status: 200, body: { data: { status: "assigned" } } });
      const again = await operator("POST", assign, { transactionid: id });
      expect(again.status).toBe(200);
      const done = await reaches(id, "completed");
      expect(done["momoreceiptnumber"]).toBe(promptOf(phone).receipt);
      expect(done["amount"]).not.toBe(100);
      await eventually(async () =>
        expect(await typesOf(id)).toEqual(["payment.initiated", "payment.completed"]),
      );
      expect(await suspenseOf(id)).toEqual([]);
    },
  );

  it("waits in suspense when its receipt number was seen before, and fails the payment when it is closed", async () => {
    const first = await request("254700100504");
    await reaches(first.id, "completed");
    const second = await eventually(async () => {
      const again = await request("254700100504");
      expect(again.status).toBe(200);
      return again;
    });
    const [entry] = await eventually(async () => {
      const found = await suspenseOf(second.id);
      expect(found).toMatchObject([{ kind: "receipt_seen_twice" }]);
      return found;
    });
    expect(await transaction(second.id)).toMatchObject({ status: "pending" });
    const close = `/operator/suspense/assign/${entry?._id ?? ""}`;
    const closed = await operator("POST", close, { note: "asked M-Pesa: one payment" });
    expect(closed).toMatchObject({ status: 200, body: { data: { status: "closed" } } });
    expect((await operator("POST", close, {})).status).toBe(400);
    await reaches(second.id, "failed");
  });
});

describe("the log", () => {
  it("contains no phone numbers, secrets or callback tokens", async () => {
    await api("POST", "/business/payment-method/create", {
      type: "paybill",
      shortcode: "174379",
      consumerkey: "a-consumer-key-to-look-for",
      consumersecret: "a-consumer-secret-to-look-for",
      passkey: "a-passkey-to-look-for",
    });
    // The provider refuses the new settings. This phone must not be in the log either.
    const refused = await api("POST", path, { amount: 10, phone: "254711199999", channel: "momo" });
    expect(refused.status).toBe(422);
    const { services } = system.gateway();
    const stop = ["payment", "gateway"].map(async (name) => services[name]?.stop());
    await Promise.all(stop);
    const text = ["payment", "gateway"].map((name) => services[name]?.log()).join("\n");
    expect(text.length).toBeGreaterThan(1_000);
    const phones = ["254711199999", ...simulator.prompts().map(({ phone }) => phone)];
    const tokens = simulator.prompts().map(({ callbackurl }) => callbackurl.slice(-32));
    const passkey = "bfb279f9aa9bdbcf158e97dd71a467cd";
    const planted = ["a-consumer-key", "a-consumer-secret", "a-passkey-to", "sandbox-paybill"];
    for (const secret of [...phones, ...tokens, ...planted, passkey]) {
      expect({ secret, found: text.includes(secret) }).toEqual({ secret, found: false });
    }
    expect(text).not.toMatch(/ws_CO_\d{17}254\d{9}/);
  });
});
