import { useSystem } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { createOperator } from "./malipo.ts";

const system = useSystem([]);
const operator = createOperator(system);
const someId = "507f1f77bcf86cd799439011";
const id = expect.stringMatching(/^[0-9a-f]{24}$/);

describe("malipo business", () => {
  it("create, list and show print the business exactly as the API shows it", async () => {
    const created = await operator.record("business", "create", "--name", "Duka", "--plan", "free");
    expect(created).toMatchObject({ _id: id, name: "Duka", plan: "free", limits: null });
    expect(created).toMatchObject({ status: "active", settings: { displayname: "Duka" } });
    const { firstproductat, ...shown } = await operator.record("business", "show", idOf(created));
    expect(shown).toEqual(created);
    expect(firstproductat).toBeNull();
    const [newest] = await operator.list("business", "list", "--limit", "1");
    expect(newest).toEqual(created);
    const { body } = await system.operator("GET", `/operator/business/details/${idOf(created)}`);
    expect(body["data"]).toEqual({ ...shown, firstproductat });
  });

  it("suspend and resume change the status", async () => {
    const business = await create();
    const suspended = await operator.record("business", "suspend", business);
    expect(suspended).toMatchObject({ _id: business, status: "suspended" });
    const again = await operator.run("business", "suspend", business);
    expect(again).toMatchObject({ code: 1, stdout: "", stderr: "Business is suspended.\n" });
    const resumed = await operator.record("business", "resume", business);
    expect(resumed).toMatchObject({ _id: business, status: "active" });
  });

  it("set-plan changes the plan, and the limits of an enterprise", async () => {
    const business = await create();
    const limits = { second: 50, minute: 1_000, day: 100_000 };
    const setPlan = ["business", "set-plan", business] as const;
    const enterprise = await operator.record(
      ...setPlan,
      "enterprise",
      "--limits",
      "50,1000,100000",
    );
    expect(enterprise).toMatchObject({ plan: "enterprise", limits });
    expect(await operator.record(...setPlan, "starter")).toMatchObject({
      plan: "starter",
      limits: null,
    });
    const refused = await operator.run(...setPlan, "starter", "--limits", "1,2,3");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toBe("limits are set for the enterprise plan only.\n");
  });

  it("set changes the given settings and keeps the others", async () => {
    const business = await create();
    const flags = ["--displayname", "Kwa Asha", "--feepercent", "1.5", "--feefixed", "20.50"];
    const days = ["--duedays", "14", "--duedaysweekly", "3", "--partpayment", "false"];
    const expected = { displayname: "Kwa Asha", feepercent: 1.5, feefixed: 20.5 };
    const set = await operator.record("business", "set", business, ...flags, ...days);
    const settings = { ...expected, duedays: 14, duedaysweekly: 3, partpayment: false };
    expect(set["settings"]).toEqual(settings);
    const changed = await operator.record("business", "set", business, "--duedays", "30");
    expect(changed["settings"]).toEqual({ ...settings, duedays: 30 });
  });
});

describe("output without --json", () => {
  it("shows a record as names and values below the API's sentence", async () => {
    const { code, stdout } = await operator.run(
      "business",
      "create",
      "--name",
      "Duka la Asha",
      "--plan",
      "starter",
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Business created successfully\n_id {2,}[0-9a-f]{24}\n/);
    expect(stdout).toMatch(/^name {2,}Duka la Asha$/m);
    expect(stdout).toMatch(/^settings\.partpayment {2,}(true|false)$/m);
  });

  it("shows a list as a table and says that there are more pages", async () => {
    await create();
    await create();
    const { stdout } = await operator.run("business", "list", "--limit", "1");
    expect(stdout).toMatch(/^ID {2,}NAME +PLAN +STATUS +CREATED\n[0-9a-f]{24} {2}Duka/);
    expect(stdout).toMatch(/\nPage 1 of \d+, \d+ in all\. Go on with --page\.\n$/);
    const next = await operator.run("business", "list", "--limit", "1", "--page", "2", "--json");
    expect(JSON.parse(next.stdout)).toHaveLength(1);
    expect(next.stderr).toMatch(/^Page 2 of/);
  });
});

describe("a refusal of the API", () => {
  it.each([
    [["business", "show", someId], "Business not found."],
    [["business", "show", "nonsense"], "Invalid business ID."],
    [["business", "show", "../list"], "Invalid business ID."],
    [["business", "show", ".."], "Invalid business ID."],
    [["business", "resume", someId], "Business not found."],
    [["business", "create", "--name", " ", "--plan", "free"], "name must not be empty."],
    [["business", "list", "--page", "0"], "page must be a whole number, at least 1."],
    [["key", "revoke", someId], "Key not found."],
  ])("of %j is printed as one sentence", async (args, sentence) => {
    const ended = await operator.run(...args, "--json");
    expect(ended).toEqual({ code: 1, stdout: "", stderr: `${sentence}\n` });
  });

  it("names every invalid field", async () => {
    const { code, stderr } = await operator.run(
      "business",
      "set",
      await create(),
      "--duedays",
      "999",
      "--feepercent",
      "101",
    );
    expect(code).toBe(1);
    expect(stderr).toBe("feepercent must be at most 100.\n  duedays must be at most 365\n");
  });
});

async function create(): Promise<string> {
  return idOf(await operator.record("business", "create", "--name", "Duka", "--plan", "free"));
}

function idOf({ _id }: Record<string, unknown>): string {
  return String(_id);
}
