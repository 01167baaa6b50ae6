import { formatNatsUsers } from "./nats/users.ts";
import { findContractProblems, writeSnapshots } from "./releases/check.ts";

const help = `Usage: main.ts <command>

  check               compares the contracts with the last releases and lists what breaks
  snapshot [--anyway] records the contracts as released; refuses if a released contract breaks,
                      unless --anyway is given (only for parts that no service uses any more)
  nats-users [name]   prints nats-server's users and their permissions for the deployment with
                      this namespace ("malipo" by default); nats-server reads the passwords
                      from its own environment
`;

const namespacePattern = /^[a-z][a-z0-9-]{0,39}$/;

function run([command, argument, ...more]: readonly string[]): boolean {
  if (more.length > 0) return false;
  if (command === "check" && argument === undefined) return report(findContractProblems());
  if (command === "snapshot" && (argument ?? "--anyway") === "--anyway") {
    return report(writeSnapshots(argument === "--anyway"));
  }
  if (command === "nats-users" && namespacePattern.test(argument ?? "malipo")) {
    process.stdout.write(formatNatsUsers(argument ?? "malipo"));
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
