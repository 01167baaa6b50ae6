import type { ServiceHealth } from "@malipo/contracts";
import { describe, expect, it } from "vitest";
import { type Examined, type Facts, judge } from "./findings.ts";

const well: ServiceHealth = {
  version: "0.1.0",
  node: "v24.21.0",
  at: "2026-11-21T09:00:00.000Z",
  store: { problem: null, version: "7.0.0", skewms: 0, missingindexes: [] },
  nats: { version: "2.12.4", denied: [] },
  consumers: [{ name: "invoice-on-payment", pending: 3, redelivered: 0 }],
  outboxseconds: 0,
  settings: { MODE: "sandbox", STREAM_REPLICAS: "1", CALLBACK_KEY: "aa" },
};

type Change = Partial<ServiceHealth>;

function examined(name: Examined["name"], change: Change = {}, skewMs = 0): Examined {
  return { name, health: { ...well, ...change }, skewMs };
}

function factsOf(services: readonly Examined[], change: Partial<Facts> = {}): Facts {
  const streams = [{ name: "malipo_event", replicas: 1 }];
  return { at: new Date(well.at), services, deadletters: 0, streams, ...change };
}

/** What is not well, in short. */
function troubles(facts: Facts): string[] {
  return judge(facts)
    .filter(({ state }) => state !== "well")
    .map(({ state, area, about, says }) => `${state} ${area} ${about}: ${says}`);
}

const ofPayment = (change: Change, skewMs = 0) =>
  troubles(factsOf([examined("gateway"), examined("payment", change, skewMs)]));

describe("the doctor", () => {
  it("says of those who are well what runs there, and nothing else", () => {
    const findings = judge(factsOf([examined("gateway"), examined("invoice")]));
    expect(findings.map(({ state, about, advice }) => [state, about, advice])).toEqual([
      ["well", "gateway", null],
      ["well", "invoice", null],
    ]);
    expect(findings[0]?.says).toBe("runs: version 0.1.0, Node 24.21.0, NATS 2.12.4, MongoDB 7.0.0");
  });

  it("never names a trouble without what to do", () => {
    const all = judge(
      factsOf(
        [
          examined("gateway", { settings: { MODE: "live", PUBLIC_URL: "http://x" } }, 60_000),
          examined("payment", { ...well, outboxseconds: 99, settings: { MODE: "sandbox" } }),
          { name: "invoice", problem: "NoAnswer: no answer within 2000 ms" },
        ],
        { deadletters: 1, streams: [{ name: "malipo_event", replicas: 0 }] },
      ),
    );
    const unwell = all.filter(({ state }) => state !== "well");
    expect(unwell.length).toBeGreaterThan(5);
    for (const { advice } of unwell) expect(advice).toMatch(/^[A-Z].+\.$/);
  });

  it.each<[string, Change, number, string[]]>([
    [
      "a database that is away",
      { store: { problem: "no primary", version: null, skewms: 0, missingindexes: [] } },
      0,
      ["wrong connection payment: cannot use its database: no primary"],
    ],
    [
      "a database that is too old",
      { store: { ...well.store, version: "6.0.19" } },
      0,
      ["wrong version payment: runs on MongoDB 6.0.19"],
    ],
    [
      "an index that somebody dropped",
      { store: { ...well.store, missingindexes: ["transactions.due"] } },
      0,
      ["wrong index payment: misses the index transactions.due"],
    ],
    [
      "what NATS refused",
      { nats: { version: "2.12.4", denied: ["publish malipo.rpc.invoice.x"] } },
      0,
      ["wrong permission payment: was refused by NATS: publish malipo.rpc.invoice.x"],
    ],
    ["a clock a second off", {}, -1_000, []],
    [
      "a clock that is off",
      {},
      5_000,
      ["doubtful clock payment: its clock is 5 s ahead of the gateway's"],
    ],
    [
      "a clock that is far off",
      {},
      -90_000,
      ["wrong clock payment: its clock is 90 s behind the gateway's"],
    ],
    [
      "a database's clock",
      { store: { ...well.store, skewms: -3_000 } },
      0,
      ["doubtful clock payment: its database's clock is 3 s behind its own"],
    ],
    [
      "a consumer that is behind",
      { consumers: [{ name: "payment-on-invoice", pending: 2_000, redelivered: 0 }] },
      0,
      ["doubtful consumer payment: its consumer payment-on-invoice is 2000 messages behind"],
    ],
    [
      "a consumer that is not there",
      { consumers: [{ name: "payment-on-invoice", pending: null, redelivered: null }] },
      0,
      ["wrong consumer payment: its consumer payment-on-invoice is not known to NATS"],
    ],
    [
      "events that are not published",
      { outboxseconds: 45.4 },
      0,
      ["doubtful outbox payment: has events that wait for publication since 45 s"],
    ],
    [
      "keys that differ",
      { settings: { ...well.settings, CALLBACK_KEY: "bb" } },
      0,
      [
        "wrong configuration system: CALLBACK_KEY is not the same everywhere: gateway | payment. No callback of M-Pesa is believed.",
      ],
    ],
  ])("names %s", (_, change, skewMs, expected) => {
    expect(ofPayment(change, skewMs)).toEqual(expected);
  });

  it("tells who does not run from who does not answer", () => {
    const problems = [
      ["invoice", "invoice did not answer: NobodyServes: nobody serves it"],
      ["payment", "payment did not answer: NoAnswer: no answer within 2000 ms"],
    ] as const;
    const services = problems.map(([name, problem]) => ({ name, problem }));
    expect(troubles(factsOf(services))).toEqual([
      "wrong connection invoice: does not run, or has no connection to NATS",
      "wrong connection payment: does not answer in time",
    ]);
  });

  it("knows of dead letters and lost streams", () => {
    const change = { deadletters: 2, streams: [{ name: "malipo_dead", replicas: 0 }] };
    expect(troubles(factsOf([], change))).toEqual([
      "wrong connection system: the stream malipo_dead is gone",
      "wrong dead letter system: 2 events could not be applied and lie aside",
    ]);
  });

  it.each([
    ["fewer", 1, "3", "wrong"],
    ["more", 3, "1", "doubtful"],
  ])("sees that %s servers keep a stream than the setting says", (_, replicas, wanted, state) => {
    const gateway = examined("gateway", { settings: { STREAM_REPLICAS: wanted } });
    const streams = [{ name: "malipo_event", replicas }];
    expect(troubles(factsOf([gateway], { streams }))).toEqual([
      `${state} configuration system: the stream malipo_event is kept by ${replicas} of NATS's servers, and STREAM_REPLICAS is ${wanted}`,
    ]);
  });

  it("asks more of a live system", () => {
    const settings = { MODE: "live", STREAM_REPLICAS: "1", PUBLIC_URL: "http://pay.example.com" };
    const nats = { version: "2.9.10", denied: [] };
    expect(troubles(factsOf([examined("gateway", { settings, nats })]))).toEqual([
      "doubtful version gateway: runs live on NATS 2.9.10, which cannot write through to its disk",
      "doubtful configuration gateway: runs live with streams that fewer than three servers keep",
      "wrong configuration gateway: runs live under an address without https",
    ]);
    const good = { MODE: "live", STREAM_REPLICAS: "3", PUBLIC_URL: "https://pay.example.com" };
    const streams = [{ name: "malipo_event", replicas: 3 }];
    expect(troubles(factsOf([examined("gateway", { settings: good })], { streams }))).toEqual([]);
  });
});
