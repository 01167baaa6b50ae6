import { readConfig } from "./config.ts";
import { openSimulator } from "./simulator.ts";

try {
  const config = readConfig(process.env);
  const simulator = await openSimulator({
    host: config.HOST,
    port: config.PORT,
    keptMax: config.KEPT_MAX,
    plainHttpHosts: config.PLAIN_HTTP_HOSTS,
    knownHosts: config.KNOWN_HOSTS,
    ...(config.MERCHANTS && { merchants: config.MERCHANTS }),
    ...(config.FAULTS && { settings: config.FAULTS }),
  });
  process.stdout.write(`listening on ${simulator.url}\n`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void simulator.close().then(() => process.exit(0)));
  }
} catch (error) {
  process.stderr.write(`mpesa-simulator cannot start. ${(error as Error).message}\n`);
  process.exit(1);
}
