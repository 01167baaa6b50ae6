import { execFile } from "node:child_process";
import { existsSync, globSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort, serviceProgram, workspaceRoot } from "@malipo/local";
import { controlledProcess, startSystem, temporaryFolder, useSharedServers } from "@malipo/testing";
import { expect, it, onTestFinished } from "vitest";
import { read } from "./files.ts";

const run = promisify(execFile);
const servers = useSharedServers();
const workspace = "services/payment";
const app = join(temporaryFolder(), "app");

/** The steps of the Dockerfile that make /app, for one service and a folder instead. */
function steps(): string[] {
  const lines = read("deploy/Dockerfile").split("\n");
  const commands = lines.flatMap((line) => /^RUN (.*)$/.exec(line)?.[1] ?? []);
  return commands.map((command) =>
    command.replaceAll("${WORKSPACE}", workspace).replaceAll("/app", app),
  );
}

async function shell(command: string, cwd: string): Promise<void> {
  // What was just installed for the workspace needs no second look at the registry.
  const env = { ...process.env, npm_config_prefer_offline: "true" };
  await run("sh", ["-c", command], { cwd, env });
}

it("the Dockerfile's steps make a service that runs, with nothing of ours that it does not need", async () => {
  mkdirSync(app);
  const [installAll, build = "", prune = "", install = ""] = steps();
  // Installing everything is how this workspace came to be.
  expect([installAll, steps().length]).toEqual(["npm ci --ignore-scripts", 4]);
  await shell(build, workspaceRoot);
  await shell(prune, workspaceRoot);
  await shell(install, app);

  const ours = globSync("node_modules/@malipo/*", { cwd: app }).map((path) =>
    realpathSync(join(app, path)).replace(`${realpathSync(app)}/`, ""),
  );
  expect(ours).toEqual(expect.arrayContaining(["packages/platform", workspace]));
  expect(ours.filter((path) => /testing|local|embedded|simulator/.test(path))).toEqual([]);
  expect(existsSync(join(app, "node_modules/typescript"))).toBe(false);
  expect(globSync("{packages,services}/**/*.ts", { cwd: app })).toEqual([]);

  // The gateway keeps the streams that payment listens to.
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
  // What is loaded only when it is asked for is there, too.
  const metrics = await fetch(`http://127.0.0.1:${healthPort}/metrics`);
  expect(await metrics.text()).toContain('nodejs_heap_size_used_bytes{service="payment"}');
  expect(await payment.stop()).toBe("exit code 0");
}, 180_000);
