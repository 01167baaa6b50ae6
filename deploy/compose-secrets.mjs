// Generates the secrets that docker-compose.yml needs and writes them into .env, which Docker Compose
// reads:
//   node deploy/compose-secrets.mjs
// It keeps what .env already has, so it can run again after an upgrade.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { generateEncryptionKey, generatePassword, natsUsers } from "./random-secrets.mjs";

const path = process.argv[2] ?? join(import.meta.dirname, "../.env");

const natsPasswords = natsUsers.map((user) => `NATS_PASSWORD_${user.toUpperCase()}`);
const secrets = {
  OPERATOR_TOKEN: generatePassword(),
  CALLBACK_KEY: generatePassword(),
  ENCRYPTION_KEY: generateEncryptionKey(),
  MONGODB_PASSWORD: generatePassword(),
  MONGODB_KEY: generatePassword(),
  GRAFANA_PASSWORD: generatePassword(),
  ...Object.fromEntries(natsPasswords.map((name) => [name, generatePassword()])),
};

const present = existsSync(path) ? readFileSync(path, "utf8") : "";
const values = parseEnv(present);
const missing = Object.entries(secrets).filter(([name]) => !values[name]);
const separator = present === "" || present.endsWith("\n") ? "" : "\n";
const added = missing.map(([name, value]) => `${name}=${value}\n`).join("");
// A new file, because an existing one may be readable for others until its mode is changed.
writeFileSync(`${path}.new`, present + separator + added, { mode: 0o600 });
renameSync(`${path}.new`, path);
process.stdout.write(`${path}: ${missing.length} secrets generated, others kept\n`);
