import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { expressions } from "./dashboards-and-alerts.ts";

const folder = fileURLToPath(new URL("../../../../deploy/observability/", import.meta.url));
const run = promisify(execFile);

async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout } = await run("promtool", args);
  return stdout;
}

const isInstalled = await promtool("--version").then(
  () => true,
  () => false,
);

// promql.ts checks the grammar on every machine; these tests need Prometheus's own tool.
describe.skipIf(!isInstalled)("promtool", () => {
  it("accepts the configuration and the alerts", async () => {
    expect(await promtool("check", "config", join(folder, "prometheus.yaml"))).toContain("SUCCESS");
  });

  it("confirms that each alert fires as alerts.test.yaml says", async () => {
    expect(await promtool("test", "rules", join(folder, "alerts.test.yaml"))).toContain("SUCCESS");
  });

  it("accepts every query of the dashboards", async () => {
    const rules = expressions.map(([, expr], index) => ({ record: `query:${index}`, expr }));
    const path = join(temporaryFolder(), "query.yaml");
    writeFileSync(path, stringify({ groups: [{ name: "query", rules }] }));
    expect(await promtool("check", "rules", path)).toContain(`SUCCESS: ${rules.length} rules`);
  });
});
