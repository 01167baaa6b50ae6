import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { expressions } from "./observability.ts";

const folder = fileURLToPath(new URL("../../../deploy/observability/", import.meta.url));
const run = promisify(execFile);

async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout } = await run("promtool", args);
  return stdout;
}

const isThere = await promtool("--version").then(
  () => true,
  () => false,
);

// The grammar is checked everywhere (promql.ts); this is for machines with Prometheus's own tool.
describe.skipIf(!isThere)("Prometheus itself", () => {
  it("takes its configuration and the alerts", async () => {
    expect(await promtool("check", "config", join(folder, "prometheus.yaml"))).toContain("SUCCESS");
  });

  it("alerts of what it should, by the deployment's name", async () => {
    expect(await promtool("test", "rules", join(folder, "alerts.test.yaml"))).toContain("SUCCESS");
  });

  it("takes everything that dashboards ask", async () => {
    const rules = expressions.map(([, expr], index) => ({ record: `asked:${index}`, expr }));
    const path = join(temporaryFolder(), "asked.yaml");
    writeFileSync(path, stringify({ groups: [{ name: "asked", rules }] }));
    expect(await promtool("check", "rules", path)).toContain(`SUCCESS: ${rules.length} rules`);
  });
});
