import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ensureNatsServer, workspaceRoot } from "@malipo/local";
import { temporaryFolder } from "@malipo/testing";
import { expect, it } from "vitest";
import { parseYaml, read } from "./files.ts";

const run = promisify(execFile);
const natsServer = await ensureNatsServer(workspaceRoot, () => undefined);
const [, minor] = /v2\.(\d+)/.exec((await run(natsServer, ["--version"])).stdout) ?? [];
/** Servers before 2.10 sync every minute and know no setting for it: all else is theirs to judge. */
const knowsSync = Number(minor) >= 10;
const syncLine = /^\s*"?sync_interval"?: "?always"?,?$/m;
const valid = /configuration file .* is valid/;

async function judge(config: string): Promise<string> {
  const path = join(temporaryFolder(), "nats.conf");
  writeFileSync(path, config);
  return run(natsServer, ["-t", "-c", path]).then(
    ({ stderr }) => stderr.trim(),
    (error: { stderr: string }) => error.stderr.trim(),
  );
}

interface Values {
  readonly config: {
    readonly cluster: { readonly enabled: boolean; readonly replicas: number };
    readonly jetstream: { readonly merge: object };
    readonly merge: Readonly<Record<string, unknown>>;
  };
}

/** What the official chart makes of the values, as far as they say. */
function configOfChart(): string {
  const [values] = parseYaml(read("deploy/nats/values.yaml")) as Values[];
  if (!values) throw new Error("no values");
  const { cluster, jetstream, merge } = values.config;
  const { $include: _, ...rest } = merge;
  const members = Array.from({ length: cluster.replicas }, (_each, index) => `nats-${index}`);
  return JSON.stringify(
    {
      server_name: "nats-0",
      port: 4222,
      http_port: 8222,
      cluster: {
        name: "nats",
        port: 6222,
        routes: members.map((member) => `nats://${member}.nats-headless:6222`),
      },
      jetstream: { store_dir: "/data", max_file_store: 20 * 2 ** 30, ...jetstream.merge },
      ...rest,
    },
    null,
    1,
  );
}

it.each([
  ["Docker Compose's", read("deploy/nats/compose.conf")],
  ["the cluster's", configOfChart()],
])(
  "%s NATS configuration is one that nats-server takes, and syncs always",
  async (_whose, config) => {
    expect(config).toMatch(syncLine);
    const whole = await judge(config);
    expect(whole).toMatch(knowsSync ? valid : /unknown field "sync_interval"/);
    expect(await judge(config.replace(syncLine, ""))).toMatch(valid);
  },
);
