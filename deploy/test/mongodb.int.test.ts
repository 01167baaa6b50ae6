import { serviceNames } from "@malipo/contracts";
import { expect, it } from "vitest";
import { parseYaml, readText } from "./files.ts";
import { generateSecrets } from "./manifests.ts";
import { findUnknownOptions, optionsIn } from "./mongod-options.ts";

it("MongoDB has a user for each service, with access to its own database only", () => {
  const [replicaSet] = parseYaml(readText("deploy/mongodb/replica-set.yaml")) as {
    spec: { members: number; users: { name: string; roles: object[] }[] };
  }[];
  expect(replicaSet?.spec.members).toBe(3);
  for (const service of serviceNames) {
    const user = replicaSet?.spec.users.find(({ name }) => name === service);
    expect(user?.roles).toEqual([{ db: `DEPLOYMENT_${service}`, name: "readWrite" }]);
  }
  const names = replicaSet?.spec.users.map(({ name }) => name);
  expect(names?.toSorted()).toEqual([...serviceNames, "backup"].toSorted());
  const backup = replicaSet?.spec.users.find(({ name }) => name === "backup");
  expect(backup?.roles).toEqual(
    ["backup", "restore", "replayOplog"].map((name) => ({ db: "admin", name })),
  );
});

it("mongod is given only options that it knows", () => {
  const [replicaSet] = parseYaml(readText("deploy/mongodb/replica-set.yaml")) as {
    spec: { additionalMongodConfig: object };
  }[];
  const config = replicaSet?.spec.additionalMongodConfig ?? {};
  expect(findUnknownOptions(config)).toEqual([]);
  expect(optionsIn(config)).toContain("storage.oplogMinRetentionHours");
  const misplaced = { replication: { oplogMinRetentionHours: 72 }, "setParameter.ttlMonitor": 1 };
  expect(findUnknownOptions(misplaced)).toEqual(["replication.oplogMinRetentionHours"]);
});

it("every place names the same release of MongoDB, without the memory read of CVE-2025-14847", () => {
  const texts = ["deploy/mongodb/replica-set.yaml", "docker-compose.yml", "deploy/README.md"];
  const releases = texts.flatMap((path) =>
    [...readText(path).matchAll(/(?:mongo:|^ *version: )(\d+\.\d+\.\d+)/gm)].map(
      ([, version]) => version,
    ),
  );
  expect(releases.length).toBeGreaterThanOrEqual(texts.length);
  expect(new Set(releases).size).toBe(1);
  const [major, minor, patch = 0] = (releases[0] ?? "").split(".").map(Number);
  expect([major, minor]).toEqual([8, 0]);
  expect(patch).toBeGreaterThanOrEqual(17);
});

it("secrets.mjs generates a password for every user of MongoDB", async () => {
  const secrets = await generateSecrets("malipo-live");
  const dataOf = (name: string) =>
    secrets.find(({ metadata }) => metadata.name === name)?.stringData;
  const passwords = dataOf("malipo-mongodb") ?? {};
  expect(Object.keys(passwords).toSorted()).toEqual([...serviceNames, "backup"].toSorted());
  expect(dataOf("malipo-backup")?.["MONGODB_URI"]).toContain(`//backup:${passwords["backup"]}@`);
});
