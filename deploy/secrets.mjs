// Prints the secrets of a new deployment, drawn at random, for kubectl:
//   node deploy/secrets.mjs malipo-live > secrets.yaml && kubectl apply -f secrets.yaml
// Once for each deployment. Keep what it printed where secrets are kept: what is encrypted with
// ENCRYPTION_KEY can be read with nothing else.
import { randomBytes } from "node:crypto";

const [namespace] = process.argv.slice(2);
if (!/^[a-z][a-z0-9-]{0,39}$/.test(namespace ?? "")) {
  process.stderr.write("Say the deployment's namespace: node deploy/secrets.mjs malipo-live\n");
  process.exit(2);
}

const services = ["gateway", "subscription", "invoice", "payment", "webhook", "scheduler"];
// Begins with a letter: nats-server would take another beginning for a number.
const password = () => `p${randomBytes(32).toString("hex")}`;
const drawn = (names) => Object.fromEntries(names.map((name) => [name, password()]));
const nats = drawn([...services, "ops"]);
const mongodb = drawn([...services, "backup"]);
const callbackKey = password();
const encryptionKey = () => randomBytes(32).toString("base64");

const data = `${namespace}-data`;
const members = [0, 1, 2]
  .map((member) => `malipo-mongodb-${member}.malipo-mongodb-svc.${data}.svc.cluster.local:27017`)
  .join(",");
const mongodbUri = (service) =>
  `mongodb://${service}:${mongodb[service]}@${members}/?replicaSet=malipo-mongodb&authSource=admin`;

const own = {
  gateway: {
    OPERATOR_TOKEN: password(),
    ENCRYPTION_KEY: encryptionKey(),
    CALLBACK_KEY: callbackKey,
  },
  payment: { ENCRYPTION_KEY: encryptionKey(), CALLBACK_KEY: callbackKey },
  webhook: { ENCRYPTION_KEY: encryptionKey() },
};

const secret = (name, inNamespace, stringData) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: inNamespace },
  stringData,
});
const natsVariables = Object.entries(nats).map(([user, drawnPassword]) => [
  `NATS_PASSWORD_${user.toUpperCase()}`,
  drawnPassword,
]);
const secrets = [
  secret("malipo-nats", data, Object.fromEntries(natsVariables)),
  secret("malipo-mongodb", data, mongodb),
  secret("malipo-backup", data, { MONGODB_URI: mongodbUri("backup") }),
  ...services.map((service) =>
    secret(`malipo-${service}`, namespace, {
      MONGODB_URI: mongodbUri(service),
      NATS_PASSWORD: nats[service],
      ...own[service],
    }),
  ),
];
// JSON is YAML.
for (const each of secrets) process.stdout.write(`---\n${JSON.stringify(each, null, 2)}\n`);
