import { consumerNameOf, consumers, events, serviceNames } from "@malipo/contracts";
import { describe, expect, it } from "vitest";
import { alerts, dashboards, expressions, runbook } from "./dashboards-and-alerts.ts";
import { readQuery } from "./promql.ts";

describe("dashboards", () => {
  it("exist for business, services, billing runs and money", () => {
    expect(dashboards.map(({ uid }) => uid)).toEqual([
      "malipo-billing",
      "malipo-business",
      "malipo-money",
      "malipo-services",
    ]);
  });

  it("describe each panel", () => {
    for (const { panels } of dashboards) {
      expect(panels.length).toBeGreaterThan(5);
      for (const { description, targets } of panels) {
        expect(description).not.toBe("");
        expect(targets.length).toBeGreaterThan(0);
      }
    }
  });

  it("show one deployment at a time, so that sandbox and live never share a line", () => {
    for (const { title, templating, panels } of dashboards) {
      const chosen = templating.list.find(({ name }) => name === "namespace");
      expect(chosen).toMatchObject({
        type: "query",
        query: 'label_values(up{job="malipo"}, namespace)',
        multi: false,
        includeAll: false,
      });
      for (const { expr } of panels.flatMap(({ targets }) => targets)) {
        for (const { metric, labels } of readQuery(expr).selectors) {
          const only = { name: "namespace", value: "$namespace" };
          expect({ title, metric, labels }).toMatchObject({
            labels: expect.arrayContaining([only]),
          });
        }
      }
    }
  });
});

describe("alerts", () => {
  it("each have a unique name, a severity, and a section in the runbook", () => {
    const names = alerts.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    for (const { alert, labels, annotations } of alerts) {
      expect(["page", "ticket"]).toContain(labels.severity);
      expect(annotations.summary).not.toBe("");
      expect(annotations.runbook).toMatch(new RegExp(`^RUNBOOK\\.md#${alert.toLowerCase()}: .+`));
    }
    const sections = [...runbook.matchAll(/^## (\w+)\n\n.+/gm)].map(([, name]) => name);
    expect(sections.toSorted()).toEqual(names.toSorted());
  });
});

describe("alerts of several deployments", () => {
  it("group by deployment, and name it in their summary", () => {
    for (const { alert, expr, annotations } of alerts) {
      const ungrouped = readQuery(expr).groupings.filter((labels) => !labels.includes("namespace"));
      expect({ alert, ungrouped }).toEqual({ alert, ungrouped: [] });
      expect(annotations.summary).toMatch(/^\{\{ (or )?\$labels\.namespace\b.*?\}\}: /);
    }
  });

  it("report each service that is missing", () => {
    const missing = alerts.find(({ alert }) => alert === "ServiceMissing");
    expect(missing?.expr).toContain(`< ${serviceNames.length} `);
  });
});

describe("queries of dashboards and alerts", () => {
  it.each(expressions)("of %s are PromQL: %s", (_, expr) => {
    const { problems, selectors } = readQuery(expr);
    expect(problems).toEqual([]);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric } of selectors) expect(metric).toMatch(/^(up|[a-z]+(_[a-z0-9]+)+)$/);
  });

  it.each([
    "sum(rate(a_total[5m])",
    "sum by namespace (a_total)",
    "rates(a_total[5m])",
    "rate(a_total)",
    "absent(a_total[5m])",
    'a_total{outcome="done}',
    "rate(a_total[5 minutes])",
    "a_total >> 1",
  ])("are refused when they are not PromQL: %s", (expr) => {
    expect(readQuery(expr).problems).not.toEqual([]);
  });

  it("name only events and consumers that exist", () => {
    const known = new Set([
      ...Object.keys(events).map((type) => `event.${type}`),
      ...consumers.map(consumerNameOf),
    ]);
    const named = expressions
      .flatMap(([, expr]) => readQuery(expr).selectors.flatMap(({ labels }) => labels))
      .filter(({ name }) => /^messaging_|^consumer$/.test(name))
      .flatMap(({ value }) => value ?? []);
    expect(named).not.toEqual([]);
    expect(named.filter((value) => !known.has(value))).toEqual([]);
  });
});
