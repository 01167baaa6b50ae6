import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { formatAuthorization, listNatsUsers } from "@malipo/contract-tools";
import { ensureNatsServer, workspaceRoot } from "@malipo/local";
import { temporaryFolder } from "@malipo/testing";
import { expect, it } from "vitest";
import { parseYaml, read } from "./files.ts";
import { drawSecrets } from "./manifests.ts";

const run = promisify(execFile);
const natsServer = await ensureNatsServer(workspaceRoot, () => undefined);
const [, minor] = /v2\.(\d+)/.exec((await run(natsServer, ["--version"])).stdout) ?? [];
/** Servers before 2.10 sync every minute and know no setting for it: all else is theirs to judge. */
const knowsSync = Number(minor) >= 10;
const syncLine = /^\s*"?sync_interval"?: "?always"?,?$/m;
const valid = /configuration file .* is valid/;

/** With the users and passwords of a deployment, as an operator makes them. */
async function judge(config: string): Promise<string> {
  const folder = temporaryFolder();
  const path = join(folder, "nats.conf");
  const users = formatAuthorization(listNatsUsers("malipo-live"));
  for (const file of ["users.conf", "users/users.conf"]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), users);
  }
  writeFileSync(path, config);
  const secrets = await drawSecrets("malipo-live");
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

/** What the official chart makes of the values, as far as they say. */
function configOfChart(): string {
  const [values] = parseYaml(read("deploy/nats/values.yaml")) as Values[];
  if (!values) throw new Error("no values");
  const { cluster, jetstream, merge } = values.config;
  const { $include: users, ...rest } = merge;
  const members = Array.from({ length: cluster.replicas }, (_each, index) => `nats-${index}`);
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

it("Docker Compose writes down NATS's users as the contracts have them", async () => {
  const [, words = ""] =
    /dist\/main\.js ([\w -]+) > \/users/.exec(read("docker-compose.yml")) ?? [];
  const main = join(workspaceRoot, "packages/contract-tools/src/main.ts");
  const args = ["--conditions=@malipo/source", main, ...words.split(" ")];
  const { stdout } = await run(process.execPath, args);
  expect(stdout).toBe(formatAuthorization(listNatsUsers("malipo")));
});
