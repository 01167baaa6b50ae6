import { serviceNames } from "@malipo/contracts";
import { expect, it } from "vitest";
import { parseYaml, readText } from "./files.ts";
import { generateSecrets } from "./manifests.ts";

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

it("secrets.mjs generates a password for every user of MongoDB", async () => {
  const secrets = await generateSecrets("malipo-live");
  const dataOf = (name: string) =>
    secrets.find(({ metadata }) => metadata.name === name)?.stringData;
  const passwords = dataOf("malipo-mongodb") ?? {};
  expect(Object.keys(passwords).toSorted()).toEqual([...serviceNames, "backup"].toSorted());
  expect(dataOf("malipo-backup")?.["MONGODB_URI"]).toContain(`//backup:${passwords["backup"]}@`);
});
