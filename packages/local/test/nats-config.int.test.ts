import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { formatNatsConfig } from "../src/nats/nats-config.ts";
import { ensureNatsServer } from "../src/nats/nats-server.ts";
import { workspaceRoot } from "../src/workspace.ts";
import { temporaryFolder } from "./fixtures.ts";

test("nats-server accepts the configuration when the folder name has quotes, spaces and $", async () => {
  const server = await ensureNatsServer(workspaceRoot, () => undefined);
  const { path, natsConfig: file } = temporaryFolder();
  writeFileSync(file, formatNatsConfig({ port: 4222, storeDir: join(path, 'a "b" $c') }));
  const { stderr } = await promisify(execFile)(server, ["-t", "--config", file]);
  expect(stderr).toContain("configuration file");
});
