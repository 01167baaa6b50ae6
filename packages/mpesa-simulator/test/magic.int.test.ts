import { eventually } from "@malipo/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSimulator, type PromptRecord, type Simulator } from "../src/index.ts";
import {
  type CallbackReceiver,
  openCallbackReceiver,
  type ReceivedCallback,
} from "./callback-receiver.ts";
import { type HttpResponse, merchantAt } from "./merchant.ts";

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

function findPrompts(phone: string): PromptRecord[] {
  return simulator.prompts().filter((prompt) => prompt.phone === phone);
}

async function waitForEnd(phone: string): Promise<PromptRecord> {
  return eventually(() => {
    const last = findPrompts(phone).at(-1);
    return last?.result != null && last;
  });
}

/** Waits until the phone's last prompt has `count` callbacks that were answered with 200. */
async function waitForCallbacks(phone: string, count: number): Promise<PromptRecord["callbacks"]> {
  return eventually(() => {
    const { callbacks } = findPrompts(phone).at(-1) ?? { callbacks: [] };
    return (
      callbacks.length >= count && callbacks.every(({ status }) => status === 200) && callbacks
    );
  });
}

/** A whole payment by another phone. After it, callbacks that were not late have been sent. */
async function makeAnotherPayment(): Promise<void> {
  await merchant.push("254712345000");
  await waitForEnd("254712345000");
  await waitForCallbacks("254712345000", 1);
}

const pushWithLostAnswer = async (phone: string) =>
  merchant.push(phone).then(
    ({ status }) => status,
    () => "no answer",
  );

/** Queries a prompt twice: while its temporary faults last, and after that. */
async function queryTwice(phone: string): Promise<{ first: HttpResponse; last: HttpResponse }> {
  simulator.change({ timing: { processingMs: 60_000 } });
  await merchant.push(phone);
  const { checkoutrequestid: id } = await waitForEnd(phone);
  const first = await merchant.query(id);
  // From now on temporary faults are over.
  simulator.change({ timing: { processingMs: 0 } });
  return { first, last: await merchant.query(id) };
}

const summarize = ({ json, status }: HttpResponse) =>
  json["ResultCode"] ?? json["errorCode"] ?? status;
const processing = "500.001.1001";

async function payAndReceiveCallback(phone: string): Promise<ReceivedCallback> {
  const { json } = await merchant.push(phone);
  return eventually(
    () =>
      receiver.received.find(
        ({ callback }) => callback["CheckoutRequestID"] === json["CheckoutRequestID"],
      ) ?? false,
  );
}

function readItems({ callback }: ReceivedCallback): Record<string, unknown> {
  const metadata = callback["CallbackMetadata"] as
    | { Item: { Name: string; Value?: unknown }[] }
    | undefined;
  return Object.fromEntries((metadata?.Item ?? []).map(({ Name, Value }) => [Name, Value]));
}

describe("a magic number with a result code", () => {
  it.each([
    ["254700000000", "0", 0],
    ["254700000001", "1", 1],
    ["254700001032", "1032", 1032],
    ["254700001037", "1037", 1037],
    ["254700002001", "2001", 2001],
    ["254700054321", "54321", 54_321],
  ])("%s ends in result %s", async (phone, result, code) => {
    const { json } = await merchant.push(phone);
    expect(json["ResponseCode"]).toBe("0");
    const prompt = await waitForEnd(phone);
    expect(prompt).toMatchObject({ result, paid: result === "0" });
    await waitForCallbacks(phone, 1);
    const received = receiver.received.find(
      ({ callback }) => callback["CheckoutRequestID"] === prompt.checkoutrequestid,
    );
    expect(received?.callback["ResultCode"]).toBe(code);
    expect("CallbackMetadata" in (received?.callback ?? {})).toBe(result === "0");
    expect((await merchant.query(prompt.checkoutrequestid)).json["ResultCode"]).toBe(result);
  });
});

describe("a magic number with a response code", () => {
  it.each([
    ["254700100001", "1"],
    ["254700100012", "12"],
    ["254700100099", "99"],
  ])("%s is refused with response code %s", async (phone, code) => {
    const { status, json } = await merchant.push(phone);
    expect(status).toBe(200);
    expect(json["ResponseCode"]).toBe(code);
    expect(json["ResponseDescription"]).not.toContain("Success");
    expect(findPrompts(phone)).toEqual([]);
  });

  it("254700100000 is accepted, because response code 0 is not a refusal", async () => {
    expect((await merchant.push("254700100000")).json["ResponseCode"]).toBe("0");
    expect((await waitForEnd("254700100000")).paid).toBe(true);
  });
});

describe("a magic number with a fault of M-Pesa", () => {
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
  ])("%s is always answered with %i and never prompted", async (phone, status, body) => {
    for (let time = 0; time < 2; time += 1) {
      const response = await merchant.push(phone);
      expect(response.status).toBe(status);
      expect(response.text).toMatch(body);
      await merchant.signIn();
    }
    expect(findPrompts(phone)).toEqual([]);
  });

  it.each<[string, number, RegExp]>([
    ["254700100110", 404, /"404.001.03"/],
    ["254700100111", 401, /"401.003.01"/],
    ["254700100112", 400, /"400.003.01"/],
    ["254700100113", 401, /^\{"fault":.*"keymanagement/],
  ])(
    "%s revokes the token with %i, and the next request with a new token is accepted",
    async (phone, status, body) => {
      for (let time = 0; time < 2; time += 1) {
        const response = await merchant.push(phone);
        expect(response.status).toBe(status);
        expect(response.text).toMatch(body);
        expect((await merchant.push(phone)).json["errorCode"]).toBe("404.001.03");
        await merchant.signIn();
        expect((await merchant.push(phone)).json["ResponseCode"]).toBe("0");
      }
      expect(findPrompts(phone)).toHaveLength(2);
    },
  );
});

describe("a magic number with a lost or slow answer", () => {
  it.each(["254700100200", "254700100201"])("%s has no answer and no prompt", async (phone) => {
    expect(await pushWithLostAnswer(phone)).toBe("no answer");
    expect(findPrompts(phone)).toEqual([]);
  });

  it.each<[string, number | "no answer", string, number]>([
    ["254700100202", "no answer", "0", 1],
    ["254700100203", "no answer", "0", 1],
    ["254700100204", 503, "0", 1],
    ["254700100205", 500, "0", 1],
    ["254700100206", "no answer", "0", 1],
    ["254700100207", "no answer", "1032", 1],
    ["254700100208", "no answer", "0", 0],
    ["254700100209", 200, "0", 1],
  ])(
    "%s gets %s and is prompted, with result %s and %i callbacks",
    async (phone, status, result, callbacks) => {
      expect(await pushWithLostAnswer(phone)).toBe(status);
      expect((await waitForEnd(phone)).result).toBe(result);
      await makeAnotherPayment();
      expect(await waitForCallbacks(phone, callbacks)).toHaveLength(callbacks);
    },
  );

  it.each([
    ["254700100210", "0"],
    ["254700100211", "1032"],
  ])("%s gets its callback before the slow answer", async (phone, result) => {
    const pushing = merchant.push(phone);
    expect((await waitForCallbacks(phone, 1))[0]?.says).toBe(result);
    expect((await pushing).json["ResponseCode"]).toBe("0");
  });
});

describe("the callbacks of a magic number", () => {
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
  ])("of %s, with true result %s, report %j", async (phone, result, reported) => {
    await merchant.push(phone);
    const { paid } = await waitForEnd(phone);
    expect(paid).toBe(result === "0");
    await makeAnotherPayment();
    expect((await waitForCallbacks(phone, reported.length)).map((one) => one.says)).toEqual(
      reported,
    );
  });

  it("of 254700100302 come timing.lateMs after the end", async () => {
    await merchant.push("254700100302");
    const { endedat } = await waitForEnd("254700100302");
    const [callback] = await waitForCallbacks("254700100302", 1);
    const waited = Number(callback?.sentat) - Number(endedat);
    expect(waited).toBeGreaterThanOrEqual(timing.lateMs - 1);
  });

  it("of 254700100306 come before the request is answered", async () => {
    await merchant.push("254700100306");
    const { callbacks } = findPrompts("254700100306").at(-1) ?? {};
    expect(callbacks?.map(({ status }) => status)).toEqual([200]);
  });

  it("of 254700100308 come after the callback of the next prompt", async () => {
    simulator.change({ timing: { lateMs: 60_000 } });
    await merchant.push("254700100308");
    await waitForEnd("254700100308");
    expect(findPrompts("254700100308").at(-1)?.callbacks).toEqual([]);
    await makeAnotherPayment();
    const [late] = await waitForCallbacks("254700100308", 1);
    const [early] = findPrompts("254712345000").at(-1)?.callbacks ?? [];
    expect(Number(late?.sentat)).toBeGreaterThanOrEqual(Number(early?.sentat));
    simulator.change({ timing: { lateMs: timing.lateMs } });
  });
});

describe("the query of a magic number", () => {
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
  ])("%s is answered with %s, and later with %s", async (phone, early, later) => {
    const { first, last } = await queryTwice(phone);
    expect(summarize(first)).toBe(early);
    expect(summarize(last)).toBe(later);
  });

  it("254700100407 is never answered", async () => {
    await merchant.push("254700100407");
    const { checkoutrequestid } = await waitForEnd("254700100407");
    await expect(merchant.query(checkoutrequestid)).rejects.toThrow("fetch failed");
    expect(findPrompts("254700100407").at(-1)?.queries).toBe(1);
  });
});

describe("the callback body of a magic number", () => {
  it.each<[string, (received: ReceivedCallback) => void]>([
    ["254700100500", (received) => expect(readItems(received)["Amount"]).toBe(249)],
    ["254700100501", (received) => expect(readItems(received)["Amount"]).toBe(251)],
    [
      "254700100502",
      (received) => expect(readItems(received)).not.toHaveProperty("MpesaReceiptNumber"),
    ],
    [
      "254700100503",
      (received) => expect(received.callback).not.toHaveProperty("CallbackMetadata"),
    ],
    [
      "254700100504",
      (received) => expect(readItems(received)["MpesaReceiptNumber"]).toBe("SAME000001"),
    ],
    ["254700100505", (received) => expect(received.callback["ResultCode"]).toBe("0")],
    [
      "254700100506",
      (received) => {
        expect(received.callback["ResultCode"]).toBe("0");
        expect(readItems(received)).toMatchObject({ Amount: "250", PhoneNumber: "254700100506" });
      },
    ],
    [
      "254700100507",
      (received) => expect(readItems(received)["PhoneNumber"]).toBe("2547 ***** 507"),
    ],
    ["254700100508", (received) => expect(readItems(received)).not.toHaveProperty("PhoneNumber")],
    [
      "254700100509",
      (received) => expect(readItems(received)["PhoneNumber"]).toBe(254_722_000_000),
    ],
    ["254700100510", (received) => expect(readItems(received)).not.toHaveProperty("Balance")],
    [
      "254700100511",
      (received) => expect(received.callback["ResultDesc"]).toMatch(/^\[STK_CB - \]The/),
    ],
    ["254700100512", (received) => expect(received.callback["ResultCode"]).toBe("SFC_IC0003")],
    ["254700100513", (received) => expect(received.callback["ResultCode"]).toBe("")],
    ["254700100514", (received) => expect(received.callback["ResultCode"]).toBe(777_777)],
    ["254700100515", (received) => expect(Object.keys(readItems(received))[1]).toBe("PhoneNumber")],
    ["254700100516", (received) => expect(readItems(received)["Amount"]).toBe(250.5)],
  ])("%s differs as documented", async (phone, expectIt) => {
    expectIt(await payAndReceiveCallback(phone));
  });
});

describe("a forged callback of a magic number", () => {
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
  ])(
    "%s comes before the genuine one, which reports a cancelled prompt",
    async (phone, expectForged) => {
      receiver.received.length = 0;
      await merchant.push(phone);
      const prompt = await waitForEnd(phone);
      expect(prompt.paid).toBe(false);
      await waitForCallbacks(phone, 2);
      const [forged, genuine] = receiver.received;
      if (!forged) throw new Error("no callback arrived");
      expectForged(forged, prompt);
      expect(genuine?.path).toBe("/callbacks/stk/token-A");
      expect(genuine?.callback).toMatchObject({
        ResultCode: 1032,
        MerchantRequestID: prompt.merchantrequestid,
        CheckoutRequestID: prompt.checkoutrequestid,
      });
    },
  );
});
