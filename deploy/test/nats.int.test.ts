import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { formatNatsUsers } from "@malipo/contract-tools";
import { ensureNatsServer, workspaceRoot } from "@malipo/local";
import { temporaryFolder } from "@malipo/testing";
import { expect, it } from "vitest";
import { parseYaml, readText } from "./files.ts";
import { generateSecrets } from "./manifests.ts";

const run = promisify(execFile);
const natsServer = await ensureNatsServer(workspaceRoot, () => undefined);
const [, minor] = /v2\.(\d+)/.exec((await run(natsServer, ["--version"])).stdout) ?? [];
/** nats-server before 2.10 syncs every minute and refuses the setting; it can check all other settings. */
const supportsSync = Number(minor) >= 10;
const syncSetting = /^\s*"?sync_interval"?: "?always"?,?$/m;
const validOutput = /configuration file .* is valid/;

/** Runs `nats-server -t` on a configuration, with the generated users and passwords of a deployment. */
async function validateConfig(config: string): Promise<string> {
  const folder = temporaryFolder();
  const path = join(folder, "nats-config/nats.conf");
  const users = formatNatsUsers("malipo-live");
  for (const file of ["nats-config/users/users.conf", "nats-users/users.conf"]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), users);
  }
  writeFileSync(path, config);
  const secrets = await generateSecrets("malipo-live");
  const passwords = secrets.find(({ metadata }) => metadata.name === "malipo-nats");
  const env = { ...passwords?.stringData };
  return run(natsServer, ["-t", "-c", path], { env }).then(
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

/** The configuration that the official chart derives from our values; other settings are left out. */
function configOfChart(): string {
  const [values] = parseYaml(readText("deploy/nats/values.yaml")) as Values[];
  if (!values) throw new Error("values.yaml is empty");
  const { cluster, jetstream, merge } = values.config;
  const { $include: users, ...rest } = merge;
  const members = Array.from({ length: cluster.replicas }, (_, index) => `nats-${index}`);
  const config = JSON.stringify(
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
  return `${config.replace(/\}$/, "")}\ninclude ${String(users)}\n}`;
}

it.each([
  ["Docker Compose", readText("deploy/nats/compose.conf")],
  ["a cluster", configOfChart()],
])(
  "the NATS configuration for %s is valid and syncs before each acknowledgement",
  async (_target, config) => {
    expect(config).toMatch(syncSetting);
    const output = await validateConfig(config);
    expect(output).toMatch(supportsSync ? validOutput : /unknown field "sync_interval"/);
    expect(await validateConfig(config.replace(syncSetting, ""))).toMatch(validOutput);
  },
);

it("Docker Compose writes the NATS users that the contracts define", async () => {
  const [, command = ""] =
    /dist\/main\.js ([\w -]+) > \/users/.exec(readText("docker-compose.yml")) ?? [];
  const main = join(workspaceRoot, "packages/contract-tools/src/main.ts");
  const args = ["--conditions=@malipo/source", main, ...command.split(" ")];
  const { stdout } = await run(process.execPath, args);
  expect(stdout).toBe(formatNatsUsers("malipo"));
});
