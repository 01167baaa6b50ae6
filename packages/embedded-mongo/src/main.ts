import { inspect, parseArgs } from "node:util";
import { passwordVariable, readUser, userVariable } from "./authentication/read-user.ts";
import { readFaults } from "./faults/random-faults.ts";
import { startEmbeddedMongo } from "./server.ts";

const usage = `embedded-mongo: a MongoDB-compatible server on SQLite

  --dir <folder>    the folder of the data (required)
  --port <number>   default 27017; 0 takes a free port
  --host <address>  default 127.0.0.1
  --user <name>     clients must authenticate as this user, with SCRAM-SHA-256;
                    default EMBEDDED_MONGO_USER
  --password-file <path>
                    the file with the password of the user; default EMBEDDED_MONGO_PASSWORD
  --faults <rates>  injects faults of a replica set, for tests: "" for the default rates, or
                    seed=7,cutBefore=0.01,cutAfter=0.01,notPrimary=0.01,writeConflict=0.05,
                    upsertRace=0.5,slow=0.05,slowMs=100
  --ttl-sweep <seconds>
                    interval at which expired documents are deleted: default 60; 0 deletes none
  --test-commands   enables the command configureFailPoint
  --help            prints this text
`;

function fail(message: string): never {
  process.stderr.write(`embedded-mongo: ${message}\n`);
  process.exit(1);
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        dir: { type: "string" },
        port: { type: "string", default: "27017" },
        host: { type: "string", default: "127.0.0.1" },
        user: { type: "string" },
        "password-file": { type: "string" },
        faults: { type: "string" },
        "ttl-sweep": { type: "string" },
        "test-commands": { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return fail((error as Error).message);
  }
}

const given = readArguments();
if (given.help) {
  process.stdout.write(usage);
  process.exit(0);
}
if (given.dir === undefined) fail("--dir <folder> is required; see --help");
const port = Number(given.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535)
  fail(`--port ${given.port} is not a port number`);
const ttlSweep = given["ttl-sweep"];
if (ttlSweep !== undefined && !/^\d{1,6}$/.test(ttlSweep)) {
  fail(`--ttl-sweep ${ttlSweep} is not a whole number of seconds up to 999999`);
}

try {
  const user = readUser(given, process.env);
  const server = await startEmbeddedMongo({
    dir: given.dir,
    port,
    host: given.host,
    user,
    testCommands: given["test-commands"],
    ...(given.faults === undefined ? {} : { faults: readFaults(given.faults) }),
    ...(ttlSweep === undefined ? {} : { ttlSweepMs: Number(ttlSweep) * 1_000 }),
    onError: (error) => process.stderr.write(`${inspect(error)}\n`),
  });
  // Without the password, because the output may end up in a log.
  process.stdout.write(`listening on ${server.uri.replace(/\/\/[^@/]*@/, "//")}\n`);
  if (user === undefined) {
    process.stderr.write(
      `warning: no authentication: everybody who can connect can read and change the data. ` +
        `Set ${userVariable} and ${passwordVariable}.\n`,
    );
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      void server.close().then(() => process.exit(0));
    });
  }
} catch (error) {
  const { code, message } = error as Error & { code?: string };
  fail(code === "EADDRINUSE" ? `port ${port} is taken; choose another with --port` : message);
}
