import { eventually } from "@malipo/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSimulator, type PromptRecord, type Simulator } from "../src/index.ts";
import {
  type CallbackReceiver,
  openCallbackReceiver,
  type ReceivedCallback,
} from "./callback-receiver.ts";
import { type Heard, merchantAt } from "./merchant.ts";

let simulator: Simulator;
let receiver: CallbackReceiver;
let merchant: ReturnType<typeof merchantAt>;

const timing = { outcomeMs: 20, lateMs: 200, slowMs: 150, hangMs: 100 };

beforeAll(async () => {
  receiver = await openCallbackReceiver();
  simulator = await openSimulator({ settings: { timing } });
  merchant = merchantAt(simulator.url, `${receiver.url}/callbacks/stk/token-A`);
  await merchant.signIn();
});
afterAll(async () => {
  await simulator.close();
  await receiver.close();
});

function promptsOf(phone: string): PromptRecord[] {
  return simulator.prompts().filter((prompt) => prompt.phone === phone);
}

async function endedPrompt(phone: string): Promise<PromptRecord> {
  return eventually(() => {
    const last = promptsOf(phone).at(-1);
    return last?.result != null && last;
  });
}

/** What was told of a phone's last prompt, once as much as expected has been answered. */
async function told(phone: string, count: number): Promise<PromptRecord["callbacks"]> {
  return eventually(() => {
    const { callbacks } = promptsOf(phone).at(-1) ?? { callbacks: [] };
    return (
      callbacks.length >= count && callbacks.every(({ status }) => status === 200) && callbacks
    );
  });
}

/** After this, whatever was to be sent at once has been sent. */
async function anotherPayment(): Promise<void> {
  await merchant.push("254712345000");
  await endedPrompt("254712345000");
  await told("254712345000", 1);
}

const lost = async (phone: string) =>
  merchant.push(phone).then(
    ({ status }) => status,
    () => "nothing",
  );

async function asked(phone: string): Promise<{ first: Heard; last: Heard }> {
  simulator.change({ timing: { processingMs: 60_000 } });
  await merchant.push(phone);
  const { checkoutrequestid: id } = await endedPrompt(phone);
  const first = await merchant.query(id);
  // The while is over.
  simulator.change({ timing: { processingMs: 0 } });
  return { first, last: await merchant.query(id) };
}

const said = ({ json, status }: Heard) => json["ResultCode"] ?? json["errorCode"] ?? status;
const processing = "500.001.1001";

async function heardOf(phone: string): Promise<ReceivedCallback> {
  const { json } = await merchant.push(phone);
  return eventually(
    () =>
      receiver.received.find(
        ({ callback }) => callback["CheckoutRequestID"] === json["CheckoutRequestID"],
      ) ?? false,
  );
}

function itemsOf({ callback }: ReceivedCallback): Record<string, unknown> {
  const metadata = callback["CallbackMetadata"] as
    | { Item: { Name: string; Value?: unknown }[] }
    | undefined;
  return Object.fromEntries((metadata?.Item ?? []).map(({ Name, Value }) => [Name, Value]));
}

describe("the last five digits are the result", () => {
  it.each([
    ["254700000000", "0", 0],
    ["254700000001", "1", 1],
    ["254700001032", "1032", 1032],
    ["254700001037", "1037", 1037],
    ["254700002001", "2001", 2001],
    ["254700054321", "54321", 54_321],
  ])("%s ends in %s", async (phone, result, code) => {
    const { json } = await merchant.push(phone);
    expect(json["ResponseCode"]).toBe("0");
    const prompt = await endedPrompt(phone);
    expect(prompt).toMatchObject({ result, paid: result === "0" });
    await told(phone, 1);
    const heard = receiver.received.find(
      ({ callback }) => callback["CheckoutRequestID"] === prompt.checkoutrequestid,
    );
    expect(heard?.callback["ResultCode"]).toBe(code);
    expect("CallbackMetadata" in (heard?.callback ?? {})).toBe(result === "0");
    expect((await merchant.query(prompt.checkoutrequestid)).json["ResultCode"]).toBe(result);
  });
});

describe("the last two digits are the response code", () => {
  it.each([
    ["254700100001", "1"],
    ["254700100012", "12"],
    ["254700100099", "99"],
  ])("%s is refused with %s", async (phone, code) => {
    const { status, json } = await merchant.push(phone);
    expect(status).toBe(200);
    expect(json["ResponseCode"]).toBe(code);
    expect(json["ResponseDescription"]).not.toContain("Success");
    expect(promptsOf(phone)).toEqual([]);
  });

  it("code 0 is no refusal", async () => {
    expect((await merchant.push("254700100000")).json["ResponseCode"]).toBe("0");
    expect((await endedPrompt("254700100000")).paid).toBe(true);
  });
});

describe("M-Pesa has a fault", () => {
  it.each<[string, number, RegExp]>([
    ["254700100100", 503, /^<html>/],
    ["254700100101", 500, /"500.003.1001"/],
    ["254700100102", 500, /"500.003.02".*Spike Arrest/],
    ["254700100103", 500, /"500.003.02".*busy/],
    ["254700100104", 500, /"500.003.03"/],
    ["254700100105", 500, /"500.001.1001".*lock subscriber/],
    ["254700100106", 500, /"500.001.1001".*\[MerchantValidate\] - Wrong credentials/],
    ["254700100107", 500, /"500.001.1001".*Merchant does not exist/],
    ["254700100108", 500, /^\{"fault":\{"faultstring":/],
    ["254700100109", 429, /^\{"fault":\{"faultstring":/],
    ["254700100114", 404, /"404.001.03"/],
    ["254700100115", 200, /^<html>/],
    ["254700100116", 200, /^$/],
    ["254700100117", 400, /"400.002.02".*Invalid Amount/],
  ])("%s is answered %i, every time and without a prompt", async (phone, status, body) => {
    for (let time = 0; time < 2; time += 1) {
      const heard = await merchant.push(phone);
      expect(heard.status).toBe(status);
      expect(heard.text).toMatch(body);
      await merchant.signIn();
    }
    expect(promptsOf(phone)).toEqual([]);
  });

  it.each<[string, number, RegExp]>([
    ["254700100110", 404, /"404.001.03"/],
    ["254700100111", 401, /"401.003.01"/],
    ["254700100112", 400, /"400.003.01"/],
    ["254700100113", 401, /^\{"fault":.*"keymanagement/],
  ])("%s revokes the token with a %i, and the new one passes", async (phone, status, body) => {
    for (let time = 0; time < 2; time += 1) {
      const heard = await merchant.push(phone);
      expect(heard.status).toBe(status);
      expect(heard.text).toMatch(body);
      expect((await merchant.push(phone)).json["errorCode"]).toBe("404.001.03");
      await merchant.signIn();
      expect((await merchant.push(phone)).json["ResponseCode"]).toBe("0");
    }
    expect(promptsOf(phone)).toHaveLength(2);
  });
});

describe("the answer gets lost", () => {
  it.each(["254700100200", "254700100201"])("%s: nothing was prompted", async (phone) => {
    expect(await lost(phone)).toBe("nothing");
    expect(promptsOf(phone)).toEqual([]);
  });

  it.each<[string, number | "nothing", string, number]>([
    ["254700100202", "nothing", "0", 1],
    ["254700100203", "nothing", "0", 1],
    ["254700100204", 503, "0", 1],
    ["254700100205", 500, "0", 1],
    ["254700100206", "nothing", "0", 1],
    ["254700100207", "nothing", "1032", 1],
    ["254700100208", "nothing", "0", 0],
    ["254700100209", 200, "0", 1],
  ])("%s hears %s and was prompted, with result %s", async (phone, status, result, callbacks) => {
    expect(await lost(phone)).toBe(status);
    expect((await endedPrompt(phone)).result).toBe(result);
    await anotherPayment();
    expect(await told(phone, callbacks)).toHaveLength(callbacks);
  });

  it.each([
    ["254700100210", "0"],
    ["254700100211", "1032"],
  ])("%s is slow, and the callback is faster", async (phone, result) => {
    const pushing = merchant.push(phone);
    expect((await told(phone, 1))[0]?.says).toBe(result);
    expect((await pushing).json["ResponseCode"]).toBe("0");
  });
});

describe("the callback", () => {
  it.each<[string, string, readonly string[]]>([
    ["254700100300", "0", []],
    ["254700100301", "1032", []],
    ["254700100302", "0", ["0"]],
    ["254700100303", "1032", ["1032"]],
    ["254700100304", "0", ["0", "0", "0"]],
    ["254700100305", "0", ["0", "0"]],
    ["254700100306", "0", ["0"]],
    ["254700100307", "1032", ["1032"]],
    ["254700100308", "0", ["0"]],
    ["254700100310", "0", ["0", "1032"]],
    ["254700100311", "0", ["1032", "0"]],
    ["254700100312", "0", ["1037", "0"]],
    ["254700100313", "0", ["0", "1032"]],
    ["254700100400", "0", ["0"]],
    ["254700100401", "0", ["1032"]],
    ["254700100402", "0", []],
    ["254700100410", "0", ["0"]],
  ])("of %s, whose result is %s, says %j", async (phone, result, says) => {
    await merchant.push(phone);
    const { paid } = await endedPrompt(phone);
    expect(paid).toBe(result === "0");
    await anotherPayment();
    expect((await told(phone, says.length)).map((one) => one.says)).toEqual(says);
  });

  it("is late by the time set", async () => {
    await merchant.push("254700100302");
    const { endedat } = await endedPrompt("254700100302");
    const [callback] = await told("254700100302", 1);
    const waited = Number(callback?.sentat) - Number(endedat);
    expect(waited).toBeGreaterThanOrEqual(timing.lateMs - 1);
  });

  it("comes before the request is answered", async () => {
    await merchant.push("254700100306");
    const { callbacks } = promptsOf("254700100306").at(-1) ?? {};
    expect(callbacks?.map(({ status }) => status)).toEqual([200]);
  });

  it("comes after the next prompt's", async () => {
    simulator.change({ timing: { lateMs: 60_000 } });
    await merchant.push("254700100308");
    await endedPrompt("254700100308");
    expect(promptsOf("254700100308").at(-1)?.callbacks).toEqual([]);
    await anotherPayment();
    const [late] = await told("254700100308", 1);
    const [early] = promptsOf("254712345000").at(-1)?.callbacks ?? [];
    expect(Number(late?.sentat)).toBeGreaterThanOrEqual(Number(early?.sentat));
    simulator.change({ timing: { lateMs: timing.lateMs } });
  });
});

describe("the query", () => {
  it.each<[string, unknown, unknown]>([
    ["254700100300", "0", "0"],
    ["254700100312", "1037", "0"],
    ["254700100400", "1032", "1032"],
    ["254700100401", "0", "0"],
    ["254700100402", processing, processing],
    ["254700100403", processing, "0"],
    ["254700100404", "4999", "0"],
    ["254700100405", "500.003.02", "500.003.02"],
    ["254700100406", 503, 503],
    ["254700100408", "404.001.03", "0"],
    ["254700100409", "400.002.02", "400.002.02"],
    ["254700100410", "1037", "0"],
  ])("of %s says %s, and later %s", async (phone, early, later) => {
    const { first, last } = await asked(phone);
    expect(said(first)).toBe(early);
    expect(said(last)).toBe(later);
  });

  it("of 254700100407 is never answered", async () => {
    await merchant.push("254700100407");
    const { checkoutrequestid } = await endedPrompt("254700100407");
    await expect(merchant.query(checkoutrequestid)).rejects.toThrow("fetch failed");
    expect(promptsOf("254700100407").at(-1)?.queries).toBe(1);
  });
});

describe("the callback's contents", () => {
  it.each<[string, (heard: ReceivedCallback) => void]>([
    ["254700100500", (heard) => expect(itemsOf(heard)["Amount"]).toBe(249)],
    ["254700100501", (heard) => expect(itemsOf(heard)["Amount"]).toBe(251)],
    ["254700100502", (heard) => expect(itemsOf(heard)).not.toHaveProperty("MpesaReceiptNumber")],
    ["254700100503", (heard) => expect(heard.callback).not.toHaveProperty("CallbackMetadata")],
    ["254700100504", (heard) => expect(itemsOf(heard)["MpesaReceiptNumber"]).toBe("SAME000001")],
    ["254700100505", (heard) => expect(heard.callback["ResultCode"]).toBe("0")],
    [
      "254700100506",
      (heard) => {
        expect(heard.callback["ResultCode"]).toBe("0");
        expect(itemsOf(heard)).toMatchObject({ Amount: "250", PhoneNumber: "254700100506" });
      },
    ],
    ["254700100507", (heard) => expect(itemsOf(heard)["PhoneNumber"]).toBe("2547 ***** 507")],
    ["254700100508", (heard) => expect(itemsOf(heard)).not.toHaveProperty("PhoneNumber")],
    ["254700100509", (heard) => expect(itemsOf(heard)["PhoneNumber"]).toBe(254_722_000_000)],
    ["254700100510", (heard) => expect(itemsOf(heard)).not.toHaveProperty("Balance")],
    ["254700100511", (heard) => expect(heard.callback["ResultDesc"]).toMatch(/^\[STK_CB - \]The/)],
    ["254700100512", (heard) => expect(heard.callback["ResultCode"]).toBe("SFC_IC0003")],
    ["254700100513", (heard) => expect(heard.callback["ResultCode"]).toBe("")],
    ["254700100514", (heard) => expect(heard.callback["ResultCode"]).toBe(777_777)],
    ["254700100515", (heard) => expect(Object.keys(itemsOf(heard))[1]).toBe("PhoneNumber")],
    ["254700100516", (heard) => expect(itemsOf(heard)["Amount"]).toBe(250.5)],
  ])("of %s vary", async (phone, expectIt) => {
    expectIt(await heardOf(phone));
  });
});

describe("a forged callback", () => {
  it.each<[string, (forged: ReceivedCallback, prompt: PromptRecord) => void]>([
    [
      "254700100600",
      ({ callback }, prompt) => {
        expect(callback["ResultCode"]).toBe(0);
        expect(callback["MerchantRequestID"]).not.toBe(prompt.merchantrequestid);
        expect(callback["CheckoutRequestID"]).not.toBe(prompt.checkoutrequestid);
      },
    ],
    [
      "254700100601",
      ({ path, callback }, prompt) => {
        expect(path).toBe("/callbacks/stk/token-B");
        expect(callback["ResultCode"]).toBe(0);
        expect(callback["CheckoutRequestID"]).toBe(prompt.checkoutrequestid);
      },
    ],
    [
      "254700100602",
      ({ callback }, prompt) => {
        expect(callback["ResultCode"]).toBe(0);
        expect(callback["MerchantRequestID"]).not.toBe(prompt.merchantrequestid);
        expect(callback["CheckoutRequestID"]).toBe(prompt.checkoutrequestid);
      },
    ],
    ["254700100603", ({ text }) => expect(text).toMatch(/^ResultCode=0/)],
    ["254700100604", ({ text }) => expect(JSON.parse(text)).not.toHaveProperty("Body")],
    ["254700100605", ({ text }) => expect(text).toBe("")],
  ])("of %s comes first, then the true one, that it was cancelled", async (phone, expectForged) => {
    receiver.received.length = 0;
    await merchant.push(phone);
    const prompt = await endedPrompt(phone);
    expect(prompt.paid).toBe(false);
    await told(phone, 2);
    const [forged, genuine] = receiver.received;
    if (!forged) throw new Error("nothing came");
    expectForged(forged, prompt);
    expect(genuine?.path).toBe("/callbacks/stk/token-A");
    expect(genuine?.callback).toMatchObject({
      ResultCode: 1032,
      MerchantRequestID: prompt.merchantrequestid,
      CheckoutRequestID: prompt.checkoutrequestid,
    });
  });
});
