import type { Finding } from "@malipo/contracts";
import type { Reported } from "./facts.ts";

/** The consequence if a setting is not the same in all services. */
const consequences: Readonly<Record<string, string>> = {
  MODE: "Secrets, receivers and M-Pesa are those of another environment.",
  PUBLIC_URL: "Pay links and QR codes lead to another address.",
  STREAM_REPLICAS: "Whoever starts last decides how many servers keep the streams.",
  CALLBACK_KEY: "No callback of M-Pesa is believed.",
};

/** In production, NATS must not lose what it has acknowledged. */
const natsForLive = { major: 2, minor: 12 } as const;

export function settingsFindings(reported: readonly Reported[]): Finding[] {
  const unequal = Object.entries(consequences).flatMap(([name, consequence]) =>
    findingsOfSetting(reported, name, consequence),
  );
  return [...unequal, ...reported.flatMap(liveFindings), ...callbackFindings(reported)];
}

function findingsOfSetting(
  reported: readonly Reported[],
  setting: string,
  consequence: string,
): Finding[] {
  const withSetting = reported.filter(({ health }) => health.settings[setting] !== undefined);
  const byValue = Object.groupBy(withSetting, ({ health }) => health.settings[setting] ?? "");
  const groups = Object.values(byValue).flatMap((group = []) => [group.map(({ name }) => name)]);
  if (groups.length < 2) return [];
  const sides = groups.map((names) => names.join(", ")).join(" | ");
  return [
    {
      state: "wrong",
      area: "configuration",
      about: "system",
      says: `${setting} is not the same everywhere: ${sides}. ${consequence}`,
      advice: `Give ${setting} the same value in all of these and restart those that were wrong.`,
    },
  ];
}

function liveFindings({ name: about, health: { settings, nats } }: Reported): Finding[] {
  if (settings["MODE"] !== "live" || about !== "gateway") return [];
  const findings: Finding[] = [];
  const [major = 0, minor = 0] = nats.version.split(".").map(Number);
  const isOld = major * 1_000 + minor < natsForLive.major * 1_000 + natsForLive.minor;
  if (isOld) {
    findings.push({
      state: "doubtful",
      area: "version",
      about,
      says: `runs live on NATS ${nats.version}, which cannot write through to its disk`,
      advice: "Use NATS 2.12 or newer with sync_interval: always, as in deploy/.",
    });
  }
  if (Number(settings["STREAM_REPLICAS"]) < 3) {
    findings.push({
      state: "doubtful",
      area: "configuration",
      about,
      says: "runs live with streams that fewer than three servers keep",
      advice: "Set STREAM_REPLICAS=3 on a NATS cluster of three.",
    });
  }
  if (settings["PUBLIC_URL"]?.startsWith("https://") === false) {
    findings.push({
      state: "wrong",
      area: "configuration",
      about,
      says: "runs live under an address without https",
      advice: "Set PUBLIC_URL to the https address that clients use.",
    });
  }
  return findings;
}

/** The gateway alone knows the mode; the payment service decides which callbacks it believes. */
function callbackFindings(reported: readonly Reported[]): Finding[] {
  const settingsOf = (service: string) =>
    reported.find(({ name }) => name === service)?.health.settings;
  if (settingsOf("gateway")?.["MODE"] !== "live") return [];
  if (settingsOf("payment")?.["CALLBACK_ADDRESSES"] !== "") return [];
  return [
    {
      state: "doubtful",
      area: "configuration",
      about: "payment",
      says: "runs live and believes callbacks from any address",
      advice:
        "Set CALLBACK_ADDRESSES to the addresses of M-Pesa. Callbacks from others then count only when a query agrees.",
    },
  ];
}
