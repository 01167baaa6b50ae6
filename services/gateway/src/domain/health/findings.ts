import type { Finding } from "@malipo/contracts";
import { minuteMs, secondMs } from "@malipo/core";
import type { HealthFacts, Reported, ServiceReport } from "./facts.ts";
import { settingsFindings } from "./settings-findings.ts";

const skewDoubtfulMs = 2 * secondMs;
const skewWrongMs = minuteMs / 2;
const pendingDoubtful = 1_000;
const pendingWrong = 100_000;
const outboxDoubtfulSeconds = 30;
/** The name of the error when no process serves a subject; it is part of the fault's detail. */
const noResponder = "NoResponder";
/** The oldest supported version; deploy/ runs 8.0. */
const mongodbMajorMin = 7;

/** Decides what is well and what is not, with advice for each problem. */
export function healthFindings(facts: HealthFacts): Finding[] {
  const reported = facts.services.filter((report): report is Reported => "health" in report);
  return [
    ...facts.services.map(connectionFinding),
    ...reported.flatMap((report) => [
      ...storeFindings(report),
      ...storeVersionFindings(report),
      ...permissionFindings(report),
      ...clockFindings(report),
      ...consumerFindings(report),
      ...outboxFindings(report),
    ]),
    ...streamFindings(facts, reported),
    ...deadLetterFindings(facts),
    ...settingsFindings(reported),
  ];
}

function connectionFinding(report: ServiceReport): Finding {
  const { name: about } = report;
  if ("problem" in report) {
    const isGone = report.problem.includes(noResponder);
    return {
      state: "wrong",
      area: "connection",
      about,
      says: isGone ? "does not run, or has no connection to NATS" : "does not answer in time",
      advice: `Start ${about}, or look at its last log lines: a service that cannot start says why.`,
    };
  }
  const { version, node, store, nats } = report.health;
  const database = store.version === null ? "" : `, MongoDB ${store.version}`;
  const says = `runs: version ${version}, Node ${node.replace("v", "")}, NATS ${nats.version}${database}`;
  return { state: "well", area: "connection", about, says, advice: null };
}

function storeFindings({ name: about, health: { store } }: Reported): Finding[] {
  if (store.problem !== null) {
    return [
      {
        state: "wrong",
        area: "connection",
        about,
        says: `cannot use its database: ${store.problem}`,
        advice:
          "See whether the replica set has a primary, and whether MONGODB_URI names it with a user who may use this database.",
      },
    ];
  }
  return store.missingindexes.map((index) => ({
    state: "wrong",
    area: "index",
    about,
    says: `misses the index ${index}`,
    advice: `Restart ${about}: it creates its indexes at start. Until then it may be slow, and a unique one protects nothing.`,
  }));
}

function storeVersionFindings({ name: about, health: { store } }: Reported): Finding[] {
  if (store.version === null || Number(store.version.split(".")[0]) >= mongodbMajorMin) return [];
  return [
    {
      state: "wrong",
      area: "version",
      about,
      says: `runs on MongoDB ${store.version}`,
      advice: `Use MongoDB ${mongodbMajorMin}.0 or newer, as deploy/ does.`,
    },
  ];
}

function permissionFindings({ name: about, health: { nats } }: Reported): Finding[] {
  return nats.denied.map((denial) => ({
    state: "wrong",
    area: "permission",
    about,
    says: `was refused by NATS: ${denial}`,
    advice:
      "Make the NATS permissions again from this version's contracts, and reload the servers.",
  }));
}

function clockFindings({ name: about, health: { store }, skewMs }: Reported): Finding[] {
  return [
    ["its clock", skewMs, "the gateway's"] as const,
    ["its database's clock", store.skewms, "its own"] as const,
  ].flatMap(([whose, byMs, than]): Finding[] => {
    if (Math.abs(byMs) < skewDoubtfulMs) return [];
    const seconds = Math.round(Math.abs(byMs) / secondMs);
    return [
      {
        state: Math.abs(byMs) < skewWrongMs ? "doubtful" : "wrong",
        area: "clock",
        about,
        says: `${whose} is ${seconds} s ${byMs > 0 ? "ahead of" : "behind"} ${than}`,
        advice: "Set the machines' clocks by NTP: due dates, limits and signatures go by them.",
      },
    ];
  });
}

function consumerFindings({ name: about, health: { consumers } }: Reported): Finding[] {
  return consumers.flatMap(({ name, pending }): Finding[] => {
    if (pending === null) {
      return [
        {
          state: "wrong",
          area: "consumer",
          about,
          says: `its consumer ${name} is not known to NATS`,
          advice: `Look for "consumer starts again" in the log of ${about}: it says why.`,
        },
      ];
    }
    if (pending < pendingDoubtful) return [];
    return [
      {
        state: pending < pendingWrong ? "doubtful" : "wrong",
        area: "consumer",
        about,
        says: `its consumer ${name} is ${pending} messages behind`,
        advice: `If that number does not fall, run more replicas of ${about} or see what slows its database.`,
      },
    ];
  });
}

function outboxFindings({ name: about, health: { outboxseconds } }: Reported): Finding[] {
  if (outboxseconds < outboxDoubtfulSeconds) return [];
  return [
    {
      state: "doubtful",
      area: "outbox",
      about,
      says: `has events that wait for publication since ${Math.round(outboxseconds)} s`,
      advice:
        "They are safe in its database. See why NATS does not take them: its disk, its replicas.",
    },
  ];
}

function streamFindings({ streams }: HealthFacts, reported: readonly Reported[]): Finding[] {
  const gateway = reported.find(({ name }) => name === "gateway");
  const configured = Number(gateway?.health.settings["STREAM_REPLICAS"]);
  return streams.flatMap(({ name, replicas }) => findingsOfStream(name, replicas, configured));
}

function findingsOfStream(name: string, replicas: number | null, configured: number): Finding[] {
  if (replicas === null || replicas === 0) {
    return [
      {
        state: "wrong",
        area: "connection",
        about: "system",
        says: replicas === 0 ? `the stream ${name} is gone` : `NATS does not describe ${name}`,
        advice:
          replicas === 0
            ? "The gateway makes it again at once; then malipo events resend brings back its events."
            : "See whether JetStream is on and has a leader, and whether the gateway may ask for stream info.",
      },
    ];
  }
  if (Number.isNaN(configured) || replicas === configured) return [];
  return [
    {
      state: replicas < configured ? "wrong" : "doubtful",
      area: "configuration",
      about: "system",
      says: `the stream ${name} is kept by ${replicas} of NATS's servers, and STREAM_REPLICAS is ${configured}`,
      advice: "Restart the gateway: it changes its streams at start, if NATS has so many servers.",
    },
  ];
}

function deadLetterFindings({ deadletters }: HealthFacts): Finding[] {
  if (deadletters === null || deadletters === 0) return [];
  return [
    {
      state: "wrong",
      area: "dead letter",
      about: "system",
      says: `${deadletters} ${deadletters === 1 ? "event" : "events"} could not be applied and lie aside`,
      advice: "See malipo dead list, mend the reason, then malipo dead replay.",
    },
  ];
}
