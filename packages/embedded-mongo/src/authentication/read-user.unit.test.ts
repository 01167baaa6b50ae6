import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { deriveCredential } from "./credential.ts";
import { readUser } from "./read-user.ts";

const password = "a-password-of-tests-0123456789";

function fileWith(content: string): string {
  const dir = mkdtempSync(join(tmpdir(), "embedded-mongo-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "password");
  writeFileSync(path, content);
  return path;
}

test("the user and password come from the options or the environment, options first", () => {
  const environment = { EMBEDDED_MONGO_USER: "other", EMBEDDED_MONGO_PASSWORD: "another" };
  const given = { user: "malipo", "password-file": fileWith(`${password}\n`) };
  expect(readUser(given, environment)).toEqual({ user: "malipo", password });
  expect(readUser({}, environment)).toEqual({ user: "other", password: "another" });
  expect(readUser({}, { EMBEDDED_MONGO_USER: "", EMBEDDED_MONGO_PASSWORD: "" })).toBeUndefined();
});

test("half of a user is refused, so that no server listens without authentication by mistake", () => {
  expect(() => readUser({ user: "malipo" }, {})).toThrow("the user malipo needs a password");
  expect(() => readUser({}, { EMBEDDED_MONGO_PASSWORD: password })).toThrow("needs a user");
  expect(() => readUser({ user: "a", "password-file": fileWith("") }, {})).toThrow("a password");
  expect(() => readUser({ user: "a", "password-file": "/no/file" }, {})).toThrow("no such file");
});

test.each([
  ["malipo", "short", "the password must be 16 to 256"],
  ["malipo", `${password}@/:`, "the password must be"],
  ["ma,lipo", password, "the user must be"],
  ["", password, "the user must be"],
])("the user %j with the password %j is refused", async (user, given, problem) => {
  await expect(deriveCredential({ user, password: given })).rejects.toThrow(problem);
});

test("the credential does not contain the password and has another salt each time", async () => {
  const [one, other] = [
    await deriveCredential({ user: "malipo", password }),
    await deriveCredential({ user: "malipo", password }),
  ];
  expect(one.iterations).toBeGreaterThanOrEqual(15_000);
  expect(JSON.stringify(one)).not.toContain(password);
  expect(one.salt).not.toEqual(other.salt);
  expect(one.storedKey).not.toEqual(other.storedKey);
});
