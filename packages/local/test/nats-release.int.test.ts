import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { downloadRelease } from "../src/nats/nats-release.ts";
import { temporaryFolder } from "./fixtures.ts";

async function publish(folder: string) {
  mkdirSync(join(folder, "nats-server-v0"));
  writeFileSync(join(folder, "nats-server-v0/nats-server"), "#!/bin/sh\necho here\n", {
    mode: 0o755,
  });
  execFileSync("tar", ["-czf", "release.tgz", "nats-server-v0"], { cwd: folder });
  const archive = readFileSync(join(folder, "release.tgz"));
  const server = createServer((request, response) => {
    response.statusCode = request.url === "/release.tgz" ? 200 : 404;
    response.end(archive);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/release.tgz`,
    sha256: createHash("sha256").update(archive).digest("hex"),
    program: "nats-server-v0/nats-server",
  };
}

test("downloadRelease downloads, verifies and unpacks a release", async () => {
  const { path } = temporaryFolder();
  const program = await downloadRelease(await publish(path), path);
  expect(execFileSync(program, { encoding: "utf8" })).toBe("here\n");
});

test("downloadRelease refuses a release with another checksum", async () => {
  const { path } = temporaryFolder();
  const release = { ...(await publish(path)), sha256: "0".repeat(64) };
  await expect(downloadRelease(release, path)).rejects.toThrow("has the checksum");
});

test("downloadRelease names the address of a missing release", async () => {
  const { path } = temporaryFolder();
  const release = await publish(path);
  const elsewhere = { ...release, url: `${release.url}.missing` };
  await expect(downloadRelease(elsewhere, path)).rejects.toThrow(".missing answered 404");
});
