import { createHash } from "node:crypto";
import { eventually, startSimulator } from "@malipo/testing";
import { afterAll, describe, expect, it } from "vitest";
import { openCallbackReceiver } from "./callback-receiver.ts";
import { hear, merchantAt } from "./merchant.ts";

const receiver = await openCallbackReceiver();
const simulator = await startSimulator();
const merchant = merchantAt(simulator.url, `${receiver.url}/callbacks/stk/token`);
await merchant.signIn();
afterAll(() => receiver.close());

type PhoneEvent = Readonly<Record<string, unknown>>;

/** What the page would be told, until it is closed. */
async function hold(phone: string) {
  const leaving = new AbortController();
  const events: PhoneEvent[] = [];
  const response = await fetch(`${simulator.url}/phone/events?number=${phone}`, {
    signal: leaving.signal,
  });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      for (const [, data = ""] of decoder.decode(chunk).matchAll(/^data: (.*)$/gm)) {
        events.push(JSON.parse(data) as PhoneEvent);
      }
    }
  })().catch(() => undefined);
  return {
    events,
    leave: async () => {
      leaving.abort();
      await reading;
    },
  };
}

async function press(keys: unknown, contentType = "application/json") {
  return hear(`${simulator.url}/phone/press`, {
    method: "POST",
    headers: { "content-type": contentType },
    body: JSON.stringify(keys),
  });
}

function promptOf(id: unknown) {
  return simulator.prompts().find(({ checkoutrequestid }) => checkoutrequestid === id);
}

describe("a phone that somebody holds", () => {
  it.each<[string, string, Record<string, unknown>, string]>([
    ["pays with a PIN", "254712345001", { pin: "1234" }, "0"],
    ["is cancelled", "254712345002", { cancel: true }, "1032"],
    ["has a wrong PIN", "254712345003", { pin: "0000" }, "2001"],
    ["without money is without money", "254700000001", { pin: "1234" }, "1"],
  ])("%s", async (_what, phone, keys, result) => {
    const held = await hold(phone);
    const { json } = await merchant.push(phone, { Amount: 1_500 });
    const id = json["CheckoutRequestID"];
    await eventually(() => expect(held.events).toHaveLength(1));
    expect(held.events[0]).toEqual({
      type: "ringing",
      id,
      business: "Duka la Mfano",
      amount: 1_500,
      reference: "INV-000001",
      description: "Internet",
      secondsLeft: 60,
    });
    // One that nobody holds goes its way meanwhile.
    await merchant.push("254712345999");
    await eventually(() => expect(simulator.prompts().at(-1)?.result).toBe("0"));
    expect(promptOf(id)?.result).toBeNull();

    expect((await press({ id, ...keys })).status).toBe(200);
    expect(promptOf(id)?.result).toBe(result);
    await eventually(() => expect(held.events).toHaveLength(2));
    expect(held.events[1]).toMatchObject({ type: "ended", id, result, paid: result === "0" });
    expect("receipt" in (held.events[1] ?? {})).toBe(result === "0");
    await eventually(() => expect(promptOf(id)?.callbacks[0]?.status).toBe(200));
    expect((await press({ id, ...keys })).status).toBe(409);
    await held.leave();
  });

  it("and that nobody answers runs out", async () => {
    simulator.change({ timing: { promptMs: 50 } });
    const held = await hold("254712345004");
    const { json } = await merchant.push("254712345004");
    await eventually(() => expect(promptOf(json["CheckoutRequestID"])?.result).toBe("1037"));
    simulator.change({ timing: { promptMs: 60_000 } });
    await held.leave();
  });

  it("rings again on a page that is loaded anew", async () => {
    const first = await hold("254712345005");
    const { json } = await merchant.push("254712345005");
    await eventually(() => expect(first.events).toHaveLength(1));
    await first.leave();
    const second = await hold("254712345005");
    await eventually(() => expect(second.events).toHaveLength(1));
    expect(second.events[0]?.["id"]).toBe(json["CheckoutRequestID"]);
    await press({ id: json["CheckoutRequestID"], cancel: true });
    await second.leave();
  });

  it("is let go some seconds after its page was closed", async () => {
    const held = await hold("254712345006");
    await held.leave();
    await eventually(async () => {
      const { json } = await merchant.push("254712345006");
      await eventually(() => promptOf(json["CheckoutRequestID"])?.result === "0", 300);
    }, 10_000);
    expect(simulator.prompts().at(-1)?.paid).toBe(true);
  });
});

describe("what is pressed", () => {
  it.each([
    { id: "ws_CO_1" },
    { id: "ws_CO_1", pin: "12" },
    { id: "ws_CO_1", pin: "12a4" },
    { id: "ws_CO_1", cancel: false },
    { id: "ws_CO_1", pin: "1234", cancel: true },
    { pin: "1234" },
    null,
    [],
  ])("is refused when it is %j", async (keys) => {
    expect((await press(keys)).status).toBe(400);
  });

  it("is refused of a prompt nobody knows", async () => {
    expect((await press({ id: "ws_CO_1", pin: "1234" })).status).toBe(404);
  });

  it("cannot come from a form of another site", async () => {
    expect((await press({ id: "ws_CO_1", pin: "1234" }, "text/plain")).status).toBe(400);
  });
});

it.each(["", "0712345678", "254712345678&number=1", "2547123456789"])(
  "nobody follows %j",
  async (number) => {
    const address = `${simulator.url}/phone/events?number=${number.replace("&", "%26")}`;
    expect((await hear(address)).status).toBe(400);
  },
);

it("only so many pages may be open", async () => {
  const leaving = new AbortController();
  // Kept until all are counted: a response that nobody holds is closed by the garbage collector.
  const pages = await Promise.all(
    Array.from({ length: 205 }, (_, nth) =>
      fetch(`${simulator.url}/phone/events?number=254714000${100 + nth}`, {
        signal: leaving.signal,
      }),
    ),
  );
  const statuses = pages.map(({ status }) => status);
  leaving.abort();
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(200);
});

it("the page runs its own script and nothing else, whatever its address says", async () => {
  const response = await fetch(
    `${simulator.url}/phone?number=${encodeURIComponent(`"><script>alert(1)</script>`)}`,
  );
  const page = await response.text();
  expect(page).not.toContain("alert(1)");
  const policy = response.headers.get("content-security-policy") ?? "";
  const [, script = ""] = /<script>([^]*?)<\/script>/.exec(page) ?? [];
  const [, style = ""] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
  for (const [name, text] of Object.entries({ script, style })) {
    const hash = createHash("sha256").update(text).digest("base64");
    expect(policy).toContain(`${name}-src 'sha256-${hash}'`);
  }
  expect(policy).toMatch(/^default-src 'none'; /);
  expect(page).not.toMatch(/ style="| on\w+="|innerHTML|https?:\/\/(?!www\.w3\.org)/);
});
