import type { calls } from "@malipo/contracts";
import type { RouteHandler } from "@malipo/platform";

/** As a test has it answered. */
export const handle = (answer: RouteHandler<typeof calls.describeOrder>) => answer;
