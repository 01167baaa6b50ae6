/** `npm run bench`: measures one path through the system and its baselines, in the same run. */
import { parseCommand, type Options } from "./arguments.ts";
import { billingRunPath } from "./billing/run-path.ts";
import { embeddedMongoPath } from "./embedded-mongo/path.ts";
import { gatewayPipelinePath } from "./gateway-pipeline/path.ts";
import { invoiceCreatePath, subscriptionCreatePath } from "./create/paths.ts";
import { invoiceIssuePath } from "./invoice/issue-path.ts";
import { invoiceListPath } from "./invoice/list-path.ts";
import { helpText } from "./help.ts";
import { mobileRequestPath } from "./mobile-request/path.ts";
import { watchOtherLoad } from "./other-load.ts";
import type { BenchPath } from "./path.ts";
import { createProcesses } from "./processes.ts";
import { productDetailsPath } from "./product-details/path.ts";
import { otherLoadText, renderOutcome } from "./report.ts";
import { pinToTwoCores } from "./pin-to-cores.ts";
import { webhookPath } from "./webhook/path.ts";

const quickEffort = { rounds: 1, seconds: 1 };
const paths: readonly BenchPath[] = [
  productDetailsPath,
  gatewayPipelinePath,
  mobileRequestPath,
  embeddedMongoPath,
  invoiceCreatePath,
  subscriptionCreatePath,
  invoiceIssuePath,
  invoiceListPath,
  webhookPath,
  billingRunPath,
];
const command = parseCommand(
  process.argv.slice(2),
  paths.map((path) => path.name),
);

switch (command.kind) {
  case "help":
    process.stdout.write(helpText(paths));
    break;
  case "invalid":
    process.stderr.write(`${command.problem} See npm run bench -- --help\n`);
    process.exitCode = 2;
    break;
  case "run": {
    const path = paths.find(({ name }) => name === command.path);
    if (path !== undefined) await measure(path, command.options);
    break;
  }
  default:
    command satisfies never;
}

async function measure(path: BenchPath, options: Options): Promise<void> {
  const startedAt = performance.now();
  const onProgress = (text: string): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    process.stderr.write(`[${seconds.toString().padStart(4)} s] ${text}\n`);
  };
  const processes = createProcesses();
  let isStopping = false;
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.once(signal, () => {
      isStopping = true;
      onProgress("stopping");
      void processes.end().finally(() => process.exit(code));
    });
  }
  try {
    onProgress(`${path.name}, ${await pinToTwoCores()}`);
    const otherLoad = await watchOtherLoad();
    const outcome = await path.run({
      ...path.effort,
      ...(options.quick ? quickEffort : {}),
      ...options,
      processes,
      onProgress,
    });
    const others = await otherLoad();
    const report = options.json
      ? JSON.stringify({ ...outcome, otherLoad: others }, null, 2)
      : `${renderOutcome(outcome)}\n\n${otherLoadText(others)}`;
    process.stdout.write(`${report}\n`);
  } catch (error) {
    // A run that was stopped fails because its processes end: that is not worth a message.
    if (isStopping) return;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await processes.end();
  }
}
