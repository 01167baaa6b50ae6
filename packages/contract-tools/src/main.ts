import { formatAuthorization, listNatsUsers } from "./nats/users.ts";
import { findContractProblems, writeSnapshots } from "./releases/check.ts";

const help = `Usage: main.ts <command>

  check               says what of the contracts no longer fits what was released
  snapshot [--anyway] keeps the contracts as they are now as what is released; with --anyway
                      also where that breaks what was: for what nobody uses any more
  nats-users [name]   prints the users of nats-server for the deployment with this namespace,
                      "malipo" unless said otherwise, with what each may publish and subscribe;
                      their passwords come from nats-server's own environment
`;

const namespacePattern = /^[a-z][a-z0-9-]{0,39}$/;

function run([command, argument, ...more]: readonly string[]): boolean {
  if (more.length > 0) return false;
  if (command === "check" && argument === undefined) return report(findContractProblems());
  if (command === "snapshot" && (argument ?? "--anyway") === "--anyway") {
    return report(writeSnapshots(argument === "--anyway"));
  }
  if (command === "nats-users" && namespacePattern.test(argument ?? "malipo")) {
    process.stdout.write(formatAuthorization(listNatsUsers(argument ?? "malipo")));
    return true;
  }
  return false;
}

function report(problems: readonly string[]): true {
  if (problems.length > 0) process.stderr.write(`${problems.join("\n\n")}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
  return true;
}

if (!run(process.argv.slice(2))) {
  process.stderr.write(help);
  process.exitCode = 2;
}
