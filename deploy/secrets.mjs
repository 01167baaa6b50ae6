// Generates the secrets of a new deployment at random and prints them as manifests for kubectl:
//   node deploy/secrets.mjs malipo-live > secrets.yaml && kubectl apply -f secrets.yaml
// Run it once for each deployment, and keep the output in a secret store: data that is encrypted with
// ENCRYPTION_KEY cannot be read without it.
import { generateEncryptionKey, generatePassword, services } from "./random-secrets.mjs";

const [namespace] = process.argv.slice(2);
if (!/^[a-z][a-z0-9-]{0,39}$/.test(namespace ?? "")) {
  process.stderr.write("usage: node deploy/secrets.mjs <namespace>, for example malipo-live\n");
  process.exit(2);
}

const generatePasswords = (users) =>
  Object.fromEntries(users.map((user) => [user, generatePassword()]));
const natsPasswords = generatePasswords([...services, "ops"]);
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
// JSON is valid YAML, so kubectl reads it.
for (const manifest of secrets) {
  process.stdout.write(`---\n${JSON.stringify(manifest, null, 2)}\n`);
}
