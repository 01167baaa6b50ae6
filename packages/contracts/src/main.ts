import { authorizationConfig, natsUsers } from "./nats-config.ts";

const help = `Usage: npm run --silent nats:users -- [namespace]

Prints the users of nats-server for one deployment, "malipo" unless said otherwise, with what each
of them may publish and subscribe. The passwords come from nats-server's own environment.
`;

const namespacePattern = /^[a-z][a-z0-9-]{0,39}$/;
const [namespace = "malipo"] = process.argv.slice(2);
if (namespacePattern.test(namespace)) {
  process.stdout.write(authorizationConfig(natsUsers(namespace)));
} else {
  process.stderr.write(help);
  process.exitCode = 1;
}
