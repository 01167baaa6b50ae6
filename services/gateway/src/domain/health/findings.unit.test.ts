import type { ServiceHealth } from "@malipo/contracts";
import { describe, expect, it } from "vitest";
import type { HealthFacts, ServiceReport } from "./facts.ts";
import { healthFindings } from "./findings.ts";

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

function reportOf(name: ServiceReport["name"], change: Change = {}, skewMs = 0): ServiceReport {
  return { name, health: { ...well, ...change }, skewMs };
}

function factsOf(
  services: readonly ServiceReport[],
  change: Partial<HealthFacts> = {},
): HealthFacts {
  const streams = [{ name: "malipo_event", replicas: 1 }];
  return { at: new Date(well.at), services, deadletters: 0, streams, ...change };
}

/** The findings that are not "well", one line each. */
function problemsIn(facts: HealthFacts): string[] {
  return healthFindings(facts)
    .filter(({ state }) => state !== "well")
    .map(({ state, area, about, says }) => `${state} ${area} ${about}: ${says}`);
}

const problemsOfPayment = (change: Change, skewMs = 0) =>
  problemsIn(factsOf([reportOf("gateway"), reportOf("payment", change, skewMs)]));

describe("the health findings", () => {
  it("state the versions of a service that is well, without advice", () => {
    const findings = healthFindings(factsOf([reportOf("gateway"), reportOf("invoice")]));
    expect(findings.map(({ state, about, advice }) => [state, about, advice])).toEqual([
      ["well", "gateway", null],
      ["well", "invoice", null],
    ]);
    expect(findings[0]?.says).toBe("runs: version 0.1.0, Node 24.21.0, NATS 2.12.4, MongoDB 7.0.0");
  });

  it("have advice for every problem", () => {
    const all = healthFindings(
      factsOf(
        [
          reportOf("gateway", { settings: { MODE: "live", PUBLIC_URL: "http://x" } }, 60_000),
          reportOf("payment", { ...well, outboxseconds: 99, settings: { MODE: "sandbox" } }),
          { name: "invoice", problem: "NoReply: no reply within 2000 ms" },
        ],
        { deadletters: 1, streams: [{ name: "malipo_event", replicas: 0 }] },
      ),
    );
    const problems = all.filter(({ state }) => state !== "well");
    expect(problems.length).toBeGreaterThan(5);
    for (const { advice } of problems) expect(advice).toMatch(/^[A-Z].+\.$/);
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
      "a missing index",
      { store: { ...well.store, missingindexes: ["transactions.due"] } },
      0,
      ["wrong index payment: misses the index transactions.due"],
    ],
    [
      "a permission that NATS denied",
      { nats: { version: "2.12.4", denied: ["publish malipo.rpc.invoice.x"] } },
      0,
      ["wrong permission payment: was refused by NATS: publish malipo.rpc.invoice.x"],
    ],
    ["nothing for a clock that is one second behind", {}, -1_000, []],
    [
      "a clock that is seconds ahead",
      {},
      5_000,
      ["doubtful clock payment: its clock is 5 s ahead of the gateway's"],
    ],
    [
      "a clock that is over half a minute behind",
      {},
      -90_000,
      ["wrong clock payment: its clock is 90 s behind the gateway's"],
    ],
    [
      "the clock of a database",
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
      "a consumer that does not exist",
      { consumers: [{ name: "payment-on-invoice", pending: null, redelivered: null }] },
      0,
      ["wrong consumer payment: its consumer payment-on-invoice is not known to NATS"],
    ],
    [
      "events that wait for publication",
      { outboxseconds: 45.4 },
      0,
      ["doubtful outbox payment: has events that wait for publication since 45 s"],
    ],
    [
      "a setting that differs between services",
      { settings: { ...well.settings, CALLBACK_KEY: "bb" } },
      0,
      [
        "wrong configuration system: CALLBACK_KEY is not the same everywhere: gateway | payment. No callback of M-Pesa is believed.",
      ],
    ],
  ])("name %s", (_, change, skewMs, expected) => {
    expect(problemsOfPayment(change, skewMs)).toEqual(expected);
  });

  it("distinguish a service that does not run from one that does not answer", () => {
    const unreported = [
      ["invoice", "invoice did not reply: NoResponder: no process serves it"],
      ["payment", "payment did not reply: NoReply: no reply within 2000 ms"],
    ] as const;
    const services = unreported.map(([name, problem]) => ({ name, problem }));
    expect(problemsIn(factsOf(services))).toEqual([
      "wrong connection invoice: does not run, or has no connection to NATS",
      "wrong connection payment: does not answer in time",
    ]);
  });

  it("name dead letters and missing streams", () => {
    const change = { deadletters: 2, streams: [{ name: "malipo_dead", replicas: 0 }] };
    expect(problemsIn(factsOf([], change))).toEqual([
      "wrong connection system: the stream malipo_dead is gone",
      "wrong dead letter system: 2 events could not be applied and lie aside",
    ]);
  });

  it.each([
    ["fewer", 1, "3", "wrong"],
    ["more", 3, "1", "doubtful"],
  ])(
    "name a stream that %s servers keep than STREAM_REPLICAS says",
    (_, replicas, configured, state) => {
      const gateway = reportOf("gateway", { settings: { STREAM_REPLICAS: configured } });
      const streams = [{ name: "malipo_event", replicas }];
      expect(problemsIn(factsOf([gateway], { streams }))).toEqual([
        `${state} configuration system: the stream malipo_event is kept by ${replicas} of NATS's servers, and STREAM_REPLICAS is ${configured}`,
      ]);
    },
  );

  it("are stricter for a live system", () => {
    const settings = { MODE: "live", STREAM_REPLICAS: "1", PUBLIC_URL: "http://pay.example.com" };
    const nats = { version: "2.9.10", denied: [] };
    expect(problemsIn(factsOf([reportOf("gateway", { settings, nats })]))).toEqual([
      "doubtful version gateway: runs live on NATS 2.9.10, which cannot write through to its disk",
      "doubtful configuration gateway: runs live with streams that fewer than three servers keep",
      "wrong configuration gateway: runs live under an address without https",
    ]);
    const good = { MODE: "live", STREAM_REPLICAS: "3", PUBLIC_URL: "https://pay.example.com" };
    const streams = [{ name: "malipo_event", replicas: 3 }];
    expect(problemsIn(factsOf([reportOf("gateway", { settings: good })], { streams }))).toEqual([]);
  });

  it.each([
    [
      "live",
      "",
      ["doubtful configuration payment: runs live and believes callbacks from any address"],
    ],
    ["live", "196.201.214.200", []],
    // The previous release does not report the setting.
    ["live", undefined, []],
    ["sandbox", "", []],
  ])("in %s mode with CALLBACK_ADDRESSES=%s are %j", (mode, addresses, expected) => {
    const gateway = { ...well.settings, MODE: mode, STREAM_REPLICAS: "3" };
    const payment = addresses === undefined ? {} : { CALLBACK_ADDRESSES: addresses };
    const services = [
      reportOf("gateway", { settings: { ...gateway, PUBLIC_URL: "https://pay.example.com" } }),
      reportOf("payment", { settings: payment }),
    ];
    const streams = [{ name: "malipo_event", replicas: 3 }];
    expect(problemsIn(factsOf(services, { streams }))).toEqual(expected);
  });
});
