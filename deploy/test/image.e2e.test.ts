import { execFile } from "node:child_process";
import { existsSync, globSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort, serviceProgram, workspaceRoot } from "@malipo/local";
import { controlledProcess, startSystem, temporaryFolder, useSharedServers } from "@malipo/testing";
import { expect, it, onTestFinished } from "vitest";
import { readText } from "./files.ts";

const run = promisify(execFile);
const servers = useSharedServers();
const workspace = "services/payment";
const app = join(temporaryFolder(), "app");

/** The RUN steps of the Dockerfile for one service, with a temporary folder in place of /app. */
function readSteps(): string[] {
  const lines = readText("deploy/Dockerfile").split("\n");
  const commands = lines.flatMap((line) => /^RUN (.*)$/.exec(line)?.[1] ?? []);
  return commands.map((command) =>
    command.replaceAll("${WORKSPACE}", workspace).replaceAll("/app", app),
  );
}

async function runInShell(command: string, cwd: string): Promise<void> {
  // npm finds in its cache the packages that were just installed for the workspace.
  const env = { ...process.env, npm_config_prefer_offline: "true" };
  await run("sh", ["-c", command], { cwd, env });
}

it("the Dockerfile's steps build a service that runs, with only the workspaces that it needs", async () => {
  mkdirSync(app);
  const steps = readSteps();
  const installAll = steps.indexOf("npm ci --ignore-scripts");
  const [build = "", prune = "", install = ""] = steps.slice(installAll + 1);
  // The steps up to this one are not run: this workspace is already installed.
  expect([installAll, steps.length]).toEqual([2, 6]);
  await runInShell(build, workspaceRoot);
  await runInShell(prune, workspaceRoot);
  await runInShell(install, app);

  const installed = globSync("node_modules/@malipo/*", { cwd: app }).map((path) =>
    realpathSync(join(app, path)).replace(`${realpathSync(app)}/`, ""),
  );
  expect(installed).toEqual(expect.arrayContaining(["packages/platform", workspace]));
  expect(installed.filter((path) => /testing|local|embedded|simulator/.test(path))).toEqual([]);
  expect(existsSync(join(app, "node_modules/typescript"))).toBe(false);
  expect(globSync("{packages,services}/**/*.ts", { cwd: app })).toEqual([]);

  // The gateway creates the streams that payment consumes.
  const system = await startSystem(servers, []);
  onTestFinished(async () => system.stop());
  const healthPort = await freePort();
  const program = serviceProgram({
    name: "payment",
    entry: "",
    healthPort,
    env: {
      NODE_ENV: "production",
      NATS_URL: servers.natsUrl,
      MONGODB_URI: servers.mongodbUri,
      NAMESPACE: servers.namespace,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
      CALLBACK_KEY: "a-key-for-the-callbacks-of-a-test",
      MPESA_BASE_URL: "http://127.0.0.1:9",
      PUBLIC_URL: system.apiUrl,
      CALLBACK_URL: system.apiUrl,
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      OTEL_TRACES_SAMPLER_ARG: "0",
    },
  });
  const payment = controlledProcess({ ...program, args: [join(app, workspace, "dist/main.js")] });
  await payment.start();
  // The service loads OpenTelemetry at the first scrape, so this shows that the image contains it.
  const metrics = await fetch(`http://127.0.0.1:${healthPort}/metrics`);
  expect(await metrics.text()).toContain('nodejs_heap_size_used_bytes{service="payment"}');
  expect(await payment.stop()).toBe("exit code 0");
}, 180_000);
