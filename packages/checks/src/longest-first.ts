import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take longest, the longest first. They wait for deadlines, restarts or a browser, so an
 * early start fills the waits with other files. Files of about ten seconds or less are not worth a line.
 */
export const longestFiles: readonly string[] = [
  "services/gateway/test/outage.e2e.test.ts",
  "services/payment/test/pay-page.browser.e2e.test.ts",
  "services/scheduler/test/runs.e2e.test.ts",
  "services/webhook/test/chaos.e2e.test.ts",
  "services/payment/test/chaos.e2e.test.ts",
  "services/invoice/test/payments.e2e.test.ts",
  "deploy/test/production.e2e.test.ts",
  "packages/cli/test/command-line.e2e.test.ts",
  "packages/local/test/npm-start.e2e.test.ts",
  "services/invoice/test/start-and-stop.e2e.test.ts",
  "packages/cli/test/webhook-listen.e2e.test.ts",
  "packages/cli/test/businesses.e2e.test.ts",
  "packages/cli/test/events.e2e.test.ts",
  "services/payment/test/pay-page.e2e.test.ts",
  "packages/cli/test/billing.e2e.test.ts",
  "services/gateway/test/broken-requests.e2e.test.ts",
  "services/subscription/test/year.e2e.test.ts",
  "services/gateway/test/idempotency.e2e.test.ts",
  "packages/platform/test/consumer.int.test.ts",
  "services/webhook/test/worker.int.test.ts",
  "packages/platform/test/relay.int.test.ts",
  "packages/platform/test/health.int.test.ts",
  "packages/local/test/supervision.int.test.ts",
  "packages/platform/test/outbox.int.test.ts",
  "services/payment/test/mistakes.int.test.ts",
  "packages/embedded-mongo/test/command-line.int.test.ts",
];

/** Runs the longest files first, so that no worker is left alone with one of them at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const index = longestFiles.findIndex((file) => moduleId.endsWith(`/${file}`));
  return index === -1 ? longestFiles.length : index;
}
