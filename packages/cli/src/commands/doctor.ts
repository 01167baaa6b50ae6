import { type Finding, routes } from "@malipo/contracts";
import { clockSkew, secondMs } from "@malipo/core";
import type { ApiClient } from "../api/api-client.ts";
import { CommandError } from "../command-error.ts";
import { defineCommand } from "../command-line/command.ts";
import { alignColumns } from "../output/table.ts";

const skewMaxMs = 2 * secondMs;

export const doctor = defineCommand({
  name: "doctor",
  description: "Check the whole system and say in plain words what is wrong and what to do",
  example: "malipo doctor",
  args: {},
  options: {},
  run: async (_, { api, printer, clock }) => {
    const findings = await collectFindings(api, clock);
    const troubles = findings.filter(({ state }) => state !== "well");
    const wrong = findings.filter(({ state }) => state === "wrong").length;
    const record = { well: wrong === 0, findings };
    printer.record(record, [...buildLines(findings), "", summarize(troubles.length, wrong)], {});
    if (wrong > 0) throw new CommandError("refused", `${countWithVerb(wrong, "thing")} wrong.`);
  },
});

/** Collects what the system reports about itself, or the reason why it cannot be reached. */
async function collectFindings(api: ApiClient, clock: () => Date): Promise<readonly Finding[]> {
  const askedAt = clock();
  try {
    const { data } = await api.call(routes.checkHealth);
    const skewMs = clockSkew(new Date(data.at), askedAt, clock());
    return [...data.findings, ...checkClock(skewMs)];
  } catch (error) {
    if (!(error instanceof CommandError) || error.kind === "usage") throw error;
    return [createUnreachableFinding(error)];
  }
}

function createUnreachableFinding({ kind, message, lines }: CommandError): Finding {
  return {
    state: "wrong",
    area: kind === "refused" ? "permission" : "connection",
    about: "gateway",
    says: [message, ...lines].join(" ").replace(/\.$/, ""),
    advice: chooseAdvice(kind, message),
  };
}

function chooseAdvice(kind: CommandError["kind"], message: string): string {
  if (message.startsWith("Invalid credential")) {
    return "Give the gateway's OPERATOR_TOKEN with --token, or in MALIPO_OPERATOR_TOKEN.";
  }
  if (message.startsWith("Not found")) {
    return "Give the address of the gateway's operator port, and a gateway of this version.";
  }
  if (kind === "refused") return "Look at the gateway's last log lines.";
  return "Start the gateway or look at its last log lines. Its operator port listens on its own machine only, unless OPERATOR_HOST says otherwise.";
}

/** Compares the gateway's clock with the clock of this machine. */
function checkClock(skewMs: number): Finding[] {
  if (Math.abs(skewMs) < skewMaxMs) return [];
  const seconds = Math.round(Math.abs(skewMs) / secondMs);
  return [
    {
      state: "doubtful",
      area: "clock",
      about: "gateway",
      says: `its clock is ${seconds} s ${skewMs > 0 ? "ahead of" : "behind"} this machine's`,
      advice: "Set both by NTP: one of them is wrong.",
    },
  ];
}

function buildLines(findings: readonly Finding[]): string[] {
  const heads = alignColumns(findings.map(({ state, about, says }) => [state, about, `${says}.`]));
  return heads.flatMap((head, index) => {
    const advice = findings[index]?.advice;
    return advice ? [head, `    ${advice}`] : [head];
  });
}

function summarize(troubles: number, wrong: number): string {
  if (troubles === 0) return "All is well.";
  const doubtful = troubles - wrong;
  if (wrong === 0) return `Nothing is wrong; ${countWithVerb(doubtful, "thing")} doubtful.`;
  return doubtful === 0
    ? `${countWithVerb(wrong, "thing")} wrong.`
    : `${countWithVerb(wrong, "thing")} wrong, ${doubtful} doubtful.`;
}

function countWithVerb(count: number, noun: string): string {
  return count === 1 ? `1 ${noun} is` : `${count} ${noun}s are`;
}
