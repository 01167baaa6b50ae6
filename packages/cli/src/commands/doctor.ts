import { type Finding, routes } from "@malipo/contracts";
import { clockSkew, secondMs } from "@malipo/core";
import type { Api } from "../api/api-client.ts";
import { command } from "../command-line/command.ts";
import { Problem } from "../command-error.ts";
import { aligned } from "../output/table.ts";

const skewMaxMs = 2 * secondMs;

export const doctor = command({
  name: "doctor",
  about: "Check the whole system and say in plain words what is wrong and what to do",
  example: "malipo doctor",
  args: {},
  options: {},
  run: async (_, { api, print, clock }) => {
    const findings = await examine(api, clock);
    const troubles = findings.filter(({ state }) => state !== "well");
    const wrong = findings.filter(({ state }) => state === "wrong").length;
    const record = { well: wrong === 0, findings };
    print.record(record, [...linesOf(findings), "", verdictOn(troubles.length, wrong)], {});
    if (wrong > 0) throw new Problem("refused", `${counted(wrong, "thing")} wrong.`);
  },
});

/** What the system says of itself, or why it cannot be asked. */
async function examine(api: Api, clock: () => Date): Promise<readonly Finding[]> {
  const asked = clock();
  try {
    const { data } = await api.ask(routes.checkHealth);
    const skewMs = clockSkew(new Date(data.at), asked, clock());
    return [...data.findings, ...clockFinding(skewMs)];
  } catch (error) {
    if (!(error instanceof Problem) || error.kind === "usage") throw error;
    return [unanswered(error)];
  }
}

function unanswered({ kind, message, lines }: Problem): Finding {
  return {
    state: "wrong",
    area: kind === "refused" ? "permission" : "connection",
    about: "gateway",
    says: [message, ...lines].join(" ").replace(/\.$/, ""),
    advice: adviceOn(kind, message),
  };
}

function adviceOn(kind: Problem["kind"], message: string): string {
  if (message.startsWith("Invalid credential")) {
    return "Give the gateway's OPERATOR_TOKEN with --token, or in MALIPO_OPERATOR_TOKEN.";
  }
  if (message.startsWith("Not found")) {
    return "Give the address of the gateway's operator port, and a gateway of this version.";
  }
  if (kind === "refused") return "Look at the gateway's last log lines.";
  return "Start the gateway or look at its last log lines. Its operator port listens on its own machine only, unless OPERATOR_HOST says otherwise.";
}

/** Only this machine knows what time it is here. */
function clockFinding(skewMs: number): Finding[] {
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

function linesOf(findings: readonly Finding[]): string[] {
  const heads = aligned(findings.map(({ state, about, says }) => [state, about, `${says}.`]));
  return heads.flatMap((head, index) => {
    const advice = findings[index]?.advice;
    return advice ? [head, `    ${advice}`] : [head];
  });
}

function verdictOn(troubles: number, wrong: number): string {
  if (troubles === 0) return "All is well.";
  const doubtful = troubles - wrong;
  if (wrong === 0) return `Nothing is wrong; ${counted(doubtful, "thing")} doubtful.`;
  return doubtful === 0
    ? `${counted(wrong, "thing")} wrong.`
    : `${counted(wrong, "thing")} wrong, ${doubtful} doubtful.`;
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun} is` : `${count} ${noun}s are`;
}
