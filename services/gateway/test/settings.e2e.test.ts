import { type ApiAnswer, call, dataOf, makeBusiness, useSystem } from "@malipo/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { getSettings } from "./operator-calls.ts";

const system = useSystem([], { gateways: 2 });
const { operator } = system;

let own: { businessid: string; secret: string };
beforeEach(async () => {
  own = await makeBusiness(system.gateway());
});

async function settings() {
  return dataOf(await getSettings(own.secret, system.gateway(1)));
}

async function updateSettings(change: object): Promise<ApiAnswer> {
  const url = `${system.gateway().apiUrl}/business/settings/update`;
  return call(url, "PATCH", own.secret, change);
}

async function setAsOperator(change: object): Promise<ApiAnswer> {
  return operator("PATCH", `/operator/business/set/${own.businessid}`, change);
}

describe("settings", () => {
  it("start with defaults and the business's name, and change only in the fields that are sent", async () => {
    const initial = {
      displayname: "Duka la Mtihani",
      feepercent: 0,
      feefixed: 0,
      duedays: 7,
      duedaysweekly: 3,
      partpayment: true,
    };
    expect(await settings()).toEqual(initial);
    const changed = await updateSettings({ feepercent: 2.5, partpayment: false, colour: "red" });
    expect([changed.status, changed.body["message"]]).toEqual([
      200,
      "Settings updated successfully",
    ]);
    expect(dataOf(changed)).toEqual({ ...initial, feepercent: 2.5, partpayment: false });
    expect(await settings()).toEqual(dataOf(changed));
    const again = await setAsOperator({ feefixed: 12.5 });
    expect(dataOf(again)["settings"]).toEqual({ ...dataOf(changed), feefixed: 12.5 });
    expect(await settings()).toEqual(dataOf(again)["settings"]);
    expect(dataOf(await updateSettings({}))).toEqual(await settings());
  });

  it.each([
    { displayname: "x".repeat(200) },
    { displayname: " Duka " },
    { feepercent: 0 },
    { feepercent: 100 },
    { feefixed: 0 },
    { feefixed: 0.01 },
    { duedays: 0, duedaysweekly: 0 },
    { duedays: 365, duedaysweekly: 365 },
    { partpayment: false },
  ])("accept %j from the business and from an operator", async (change) => {
    for (const ask of [updateSettings, setAsOperator]) {
      const answer = await ask(change);
      expect(answer.status).toBe(200);
      const trimmed = "displayname" in change ? { displayname: change.displayname.trim() } : {};
      expect(await settings()).toMatchObject({ ...change, ...trimmed });
    }
  });

  it.each([
    [{ displayname: "" }, "displayname must not be empty"],
    [{ displayname: "x".repeat(201) }, "displayname must be at most 200 characters long"],
    [{ displayname: "a\u0007" }, "displayname must not contain control characters"],
    [{ displayname: null }, "displayname must be a string"],
    [{ feepercent: -0.01 }, "feepercent must be at least 0"],
    [{ feepercent: 100.01 }, "feepercent must be at most 100"],
    [{ feepercent: "5" }, "feepercent must be a number"],
    [{ feefixed: -0.01 }, "feefixed must not be negative"],
    [{ feefixed: 0.001 }, "feefixed must have at most two decimals"],
    [{ feefixed: 1e14 }, "feefixed is too large"],
    [{ duedays: -1 }, "duedays must be at least 0"],
    [{ duedays: 366 }, "duedays must be at most 365"],
    [{ duedays: 1.5 }, "duedays must be a whole number"],
    [{ duedaysweekly: -1 }, "duedaysweekly must be at least 0"],
    [{ duedaysweekly: 366 }, "duedaysweekly must be at most 365"],
    [{ duedaysweekly: "7" }, "duedaysweekly must be a number"],
    [{ partpayment: "yes" }, "partpayment must be true or false"],
    [{ partpayment: null }, "partpayment must be true or false"],
    [{ duedays: 5, feepercent: 101 }, "feepercent must be at most 100"],
  ])("refuse %j and change nothing: %s", async (change, text) => {
    const before = await settings();
    for (const ask of [updateSettings, setAsOperator]) {
      const answer = await ask(change);
      expect([answer.status, answer.body["code"], answer.body["error"]]).toEqual([
        400,
        "invalid_request",
        text,
      ]);
      const [path, ...problem] = text.split(" ");
      expect(answer.body["fields"]).toEqual([{ path, problem: problem.join(" ") }]);
    }
    expect(await settings()).toEqual(before);
  });
});
