import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const folder = fileURLToPath(new URL("../../../../deploy/observability/", import.meta.url));

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly templating: {
    readonly list: readonly { readonly name: string }[];
  };
  readonly panels: readonly {
    readonly title: string;
    readonly description: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

export const dashboards: readonly Dashboard[] = globSync("dashboards/*.json", { cwd: folder })
  .sort()
  .map((file) => JSON.parse(readFileSync(folder + file, "utf8")) as Dashboard);

const { groups } = parse(readFileSync(`${folder}alerts/malipo.yaml`, "utf8")) as {
  readonly groups: readonly { readonly rules: readonly Alert[] }[];
};

export const alerts: readonly Alert[] = groups.flatMap(({ rules }) => rules);

export const runbook: string = readFileSync(`${folder}RUNBOOK.md`, "utf8");

/** The queries of all dashboards and alerts, each with the name of its panel or alert. */
export const expressions: readonly (readonly [where: string, expr: string])[] = [
  ...dashboards.flatMap(({ title, panels }) =>
    panels.flatMap((panel) =>
      panel.targets.map(({ expr }) => [`${title}: ${panel.title}`, expr] as const),
    ),
  ),
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
];
