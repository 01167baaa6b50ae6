// Generates the secrets of a new deployment at random and writes them as manifests into a new file:
//   node deploy/secrets.mjs malipo-live secrets.json && kubectl create -f secrets.json
// Run it once for each deployment, and keep the file in a secret store: data that is encrypted with
// ENCRYPTION_KEY cannot be read without it. So neither command replaces secrets that exist.
import { writeFileSync } from "node:fs";
import { generateEncryptionKey, generatePassword, natsUsers, services } from "./random-secrets.mjs";

const [namespace, file] = process.argv.slice(2);
if (!/^[a-z][a-z0-9-]{0,39}$/.test(namespace ?? "") || file === undefined) {
  process.stderr.write("usage: node deploy/secrets.mjs <namespace> <new file>\n");
  process.stderr.write("example: node deploy/secrets.mjs malipo-live secrets.json\n");
  process.exit(2);
}

const generatePasswords = (users) =>
  Object.fromEntries(users.map((user) => [user, generatePassword()]));
const natsPasswords = generatePasswords(natsUsers);
const mongodbPasswords = generatePasswords([...services, "backup"]);
// Payment signs callback addresses with this key and the gateway checks them, so both have the same.
const callbackKey = generatePassword();

const dataNamespace = `${namespace}-data`;
const members = [0, 1, 2]
  .map(
    (member) =>
      `malipo-mongodb-${member}.malipo-mongodb-svc.${dataNamespace}.svc.cluster.local:27017`,
  )
  .join(",");
const mongodbUri = (user) =>
  `mongodb://${user}:${mongodbPasswords[user]}@${members}/?replicaSet=malipo-mongodb&authSource=admin`;

const keysOfService = {
  gateway: {
    OPERATOR_TOKEN: generatePassword(),
    ENCRYPTION_KEY: generateEncryptionKey(),
    CALLBACK_KEY: callbackKey,
  },
  payment: { ENCRYPTION_KEY: generateEncryptionKey(), CALLBACK_KEY: callbackKey },
  webhook: { ENCRYPTION_KEY: generateEncryptionKey() },
};

const secret = (name, secretNamespace, stringData) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: secretNamespace },
  stringData,
});
const natsVariables = Object.entries(natsPasswords).map(([user, password]) => [
  `NATS_PASSWORD_${user.toUpperCase()}`,
  password,
]);
const secrets = [
  secret("malipo-nats", dataNamespace, Object.fromEntries(natsVariables)),
  secret("malipo-mongodb", dataNamespace, mongodbPasswords),
  secret("malipo-backup", dataNamespace, { MONGODB_URI: mongodbUri("backup") }),
  ...services.map((service) =>
    secret(`malipo-${service}`, namespace, {
      MONGODB_URI: mongodbUri(service),
      NATS_PASSWORD: natsPasswords[service],
      ...keysOfService[service],
    }),
  ),
];
const list = { apiVersion: "v1", kind: "List", items: secrets };
try {
  writeFileSync(file, `${JSON.stringify(list, null, 2)}\n`, { flag: "wx", mode: 0o600 });
} catch (error) {
  if (error.code !== "EEXIST") throw error;
  process.stderr.write(
    `${file} exists and is not changed: data that is encrypted with its keys cannot be read without them.\n` +
      "For a new deployment, name a file that does not exist.\n",
  );
  process.exit(1);
}
process.stdout.write(`${file}: ${secrets.length} secrets for ${namespace} and ${dataNamespace}\n`);
