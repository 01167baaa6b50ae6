import { consumerNameOf, consumers, events, serviceNames } from "@malipo/contracts";
import { describe, expect, it } from "vitest";
import { alerts, dashboards, expressions, labelsIn, metricsIn, runbook } from "./observability.ts";

describe("dashboards", () => {
  it("are business, services, billing runs and money", () => {
    expect(dashboards.map(({ uid }) => uid)).toEqual([
      "malipo-billing",
      "malipo-business",
      "malipo-money",
      "malipo-services",
    ]);
  });

  it("say of each panel what it means", () => {
    for (const { panels } of dashboards) {
      expect(panels.length).toBeGreaterThan(5);
      for (const { description, targets } of panels) {
        expect(description).not.toBe("");
        expect(targets.length).toBeGreaterThan(0);
      }
    }
  });
});

describe("alerts", () => {
  it("each have a name of their own, a severity, and a section in the runbook", () => {
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

describe("alerts on several deployments at once", () => {
  it("blend none of them", () => {
    for (const { alert, expr } of alerts) {
      const sums = expr.match(/\b(sum|max|min|count|group|avg)\b/g) ?? [];
      const apart = expr.match(/\b(sum|max|min|count|group|avg) by \(namespace\b/g) ?? [];
      expect({ alert, apart: apart.length }).toEqual({ alert, apart: sums.length });
    }
  });

  it("miss each service that there is", () => {
    const missing = alerts.find(({ alert }) => alert === "ServiceMissing");
    expect(missing?.expr).toContain(`< ${serviceNames.length} `);
  });
});

describe("what they ask", () => {
  it.each(expressions)("%s names a metric: %s", (_, expr) => {
    expect(expr.split("(").length).toBe(expr.split(")").length);
    expect(/^up\b/.test(expr) || metricsIn(expr).length > 0).toBe(true);
  });

  it("of events and consumers are such as there are", () => {
    const known = new Set([
      ...Object.keys(events).map((type) => `event.${type}`),
      ...consumers.map(consumerNameOf),
    ]);
    const named = expressions
      .flatMap(([, expr]) => labelsIn(expr))
      .filter(({ name }) => /^messaging_|^consumer$/.test(name))
      .flatMap(({ value = [] }) => value);
    expect(named).not.toEqual([]);
    expect(named.filter((value) => !known.has(value))).toEqual([]);
  });
});
