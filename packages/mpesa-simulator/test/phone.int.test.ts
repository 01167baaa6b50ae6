import { createHash } from "node:crypto";
import { eventually, startSimulator } from "@malipo/testing";
import { afterAll, describe, expect, it } from "vitest";
import { openCallbackReceiver } from "./callback-receiver.ts";
import { merchantAt, send } from "./merchant.ts";

const receiver = await openCallbackReceiver();
const simulator = await startSimulator();
const merchant = merchantAt(simulator.url, `${receiver.url}/callbacks/stk/token`);
await merchant.signIn();
afterAll(() => receiver.close());

type PhoneEvent = Readonly<Record<string, unknown>>;

/** Opens the event stream of a phone page and collects its events until it is closed. */
async function openPage(phone: string) {
  const closing = new AbortController();
  const events: PhoneEvent[] = [];
  const response = await fetch(`${simulator.url}/phone/events?number=${phone}`, {
    signal: closing.signal,
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
    close: async () => {
      closing.abort();
      await reading;
    },
  };
}

async function pressKey(keys: unknown, contentType = "application/json") {
  return send(`${simulator.url}/phone/press`, {
    method: "POST",
    headers: { "content-type": contentType },
    body: JSON.stringify(keys),
  });
}

function findPrompt(id: unknown) {
  return simulator.prompts().find(({ checkoutrequestid }) => checkoutrequestid === id);
}

describe("a prompt on an open phone page", () => {
  it.each<[string, string, Record<string, unknown>, string]>([
    ["is paid with a PIN", "254712345001", { pin: "1234" }, "0"],
    ["ends in 1032 after Cancel", "254712345002", { cancel: true }, "1032"],
    ["ends in 2001 after a wrong PIN", "254712345003", { pin: "0000" }, "2001"],
    ["keeps the result of its magic number after a PIN", "254700000001", { pin: "1234" }, "1"],
  ])("%s", async (_what, phone, keys, result) => {
    const page = await openPage(phone);
    const { json } = await merchant.push(phone, { Amount: 1_500 });
    const id = json["CheckoutRequestID"];
    await eventually(() => expect(page.events).toHaveLength(1));
    expect(page.events[0]).toEqual({
      type: "ringing",
      id,
      business: "Duka la Mfano",
      amount: 1_500,
      reference: "INV-000001",
      description: "Internet",
      secondsLeft: 60,
    });
    // A phone without an open page is not affected.
    await merchant.push("254712345999");
    await eventually(() => expect(simulator.prompts().at(-1)?.result).toBe("0"));
    expect(findPrompt(id)?.result).toBeNull();

    expect((await pressKey({ id, ...keys })).status).toBe(200);
    expect(findPrompt(id)?.result).toBe(result);
    await eventually(() => expect(page.events).toHaveLength(2));
    expect(page.events[1]).toMatchObject({ type: "ended", id, result, paid: result === "0" });
    expect("receipt" in (page.events[1] ?? {})).toBe(result === "0");
    await eventually(() => expect(findPrompt(id)?.callbacks[0]?.status).toBe(200));
    expect((await pressKey({ id, ...keys })).status).toBe(409);
    await page.close();
  });

  it("ends in 1037 when no key is pressed in time", async () => {
    simulator.change({ timing: { promptMs: 50 } });
    const page = await openPage("254712345004");
    const { json } = await merchant.push("254712345004");
    await eventually(() => expect(findPrompt(json["CheckoutRequestID"])?.result).toBe("1037"));
    simulator.change({ timing: { promptMs: 60_000 } });
    await page.close();
  });

  it("is shown again when the page is reloaded", async () => {
    const first = await openPage("254712345005");
    const { json } = await merchant.push("254712345005");
    await eventually(() => expect(first.events).toHaveLength(1));
    await first.close();
    const second = await openPage("254712345005");
    await eventually(() => expect(second.events).toHaveLength(1));
    expect(second.events[0]?.["id"]).toBe(json["CheckoutRequestID"]);
    await pressKey({ id: json["CheckoutRequestID"], cancel: true });
    await second.close();
  });

  it("no longer waits for a key some seconds after the page was closed", async () => {
    const page = await openPage("254712345006");
    await page.close();
    await eventually(async () => {
      const { json } = await merchant.push("254712345006");
      await eventually(() => findPrompt(json["CheckoutRequestID"])?.result === "0", 300);
    }, 10_000);
    expect(simulator.prompts().at(-1)?.paid).toBe(true);
  });
});

describe("a key press", () => {
  it.each([
    { id: "ws_CO_1" },
    { id: "ws_CO_1", pin: "12" },
    { id: "ws_CO_1", pin: "12a4" },
    { id: "ws_CO_1", cancel: false },
    { id: "ws_CO_1", pin: "1234", cancel: true },
    { pin: "1234" },
    null,
    [],
  ])("is rejected with 400 when its body is %j", async (keys) => {
    expect((await pressKey(keys)).status).toBe(400);
  });

  it("is rejected with 404 when the prompt is unknown", async () => {
    expect((await pressKey({ id: "ws_CO_1", pin: "1234" })).status).toBe(404);
  });

  it("is rejected with 400 when it is not sent as JSON, as from a form on another site", async () => {
    expect((await pressKey({ id: "ws_CO_1", pin: "1234" }, "text/plain")).status).toBe(400);
  });
});

it.each(["", "0712345678", "254712345678&number=1", "2547123456789"])(
  "the event stream is rejected with 400 for phone number %j",
  async (number) => {
    const address = `${simulator.url}/phone/events?number=${number.replace("&", "%26")}`;
    expect((await send(address)).status).toBe(400);
  },
);

it("at most 200 phone pages may be open", async () => {
  const closing = new AbortController();
  // The responses are kept until all are counted: the garbage collector closes unreferenced ones.
  const responses = await Promise.all(
    Array.from({ length: 205 }, (_, nth) =>
      fetch(`${simulator.url}/phone/events?number=254714000${100 + nth}`, {
        signal: closing.signal,
      }),
    ),
  );
  const statuses = responses.map(({ status }) => status);
  closing.abort();
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(200);
});

it("the phone page allows its own script only, and its address cannot add another", async () => {
  const response = await fetch(
    `${simulator.url}/phone?number=${encodeURIComponent(`"><script>alert(1)</script>`)}`,
  );
  const html = await response.text();
  expect(html).not.toContain("alert(1)");
  const policy = response.headers.get("content-security-policy") ?? "";
  const [, script = ""] = /<script>([^]*?)<\/script>/.exec(html) ?? [];
  const [, style = ""] = /<style>([^]*?)<\/style>/.exec(html) ?? [];
  for (const [name, text] of Object.entries({ script, style })) {
    const hash = createHash("sha256").update(text).digest("base64");
    expect(policy).toContain(`${name}-src 'sha256-${hash}'`);
  }
  expect(policy).toMatch(/^default-src 'none'; /);
  expect(html).not.toMatch(/ style="| on\w+="|innerHTML|https?:\/\/(?!www\.w3\.org)/);
});
