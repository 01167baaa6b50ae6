import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeEnvironment, type Environment } from "../src/folder/environment.ts";
import { createFolder, folderAt, writePrivateJson } from "../src/folder/folder.ts";
import { loadSecrets } from "../src/folder/secrets.ts";

function emptyFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "malipo-folder-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test("an existing folder that others could read or write is closed to them", () => {
  const folder = folderAt(emptyFolder());
  mkdirSync(folder.mongoStore);
  const all = [folder.path, folder.mongoStore];
  for (const path of all) chmodSync(path, 0o777);
  createFolder(folder);
  expect(all.concat(folder.logs, folder.natsStore, folder.pids).map(modeOf)).toEqual(
    Array(5).fill(0o700),
  );
});

test("a folder that all users share is refused and keeps its mode", () => {
  const path = emptyFolder();
  chmodSync(path, 0o1777);
  expect(() => createFolder(folderAt(path))).toThrow("shared with other users");
  expect(modeOf(path)).toBe(0o777);
});

test("files with secrets are for the owner alone, also where an older file was not", () => {
  const folder = folderAt(emptyFolder());
  writePrivateJson(folder.secrets, {});
  chmodSync(folder.secrets, 0o644);
  loadSecrets(folder.secrets);
  writeEnvironment(folder, {} as Environment);
  expect([folder.secrets, folder.environment].map(modeOf)).toEqual([0o600, 0o600]);
});

test("a folder of an earlier release gets a password of the store and keeps its other secrets", () => {
  const { secrets: path } = folderAt(emptyFolder());
  const earlier = { operatortoken: "a", encryptionkey: "b", callbackkey: "c" };
  writePrivateJson(path, earlier);
  const secrets = loadSecrets(path);
  expect(secrets).toMatchObject(earlier);
  expect(secrets.mongodbpassword).toMatch(/^[\w-]{43}$/);
  expect(loadSecrets(path)).toEqual(secrets);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(secrets);
});
