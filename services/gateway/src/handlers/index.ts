import type { EventHandlersOf, HandlersOf } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { checkHealth } from "./check-health.ts";
import { createBusiness } from "./create-business.ts";
import { describeBusiness } from "./describe-business.ts";
import { getBusiness } from "./get-business.ts";
import { getSettings } from "./get-settings.ts";
import { issueKey } from "./issue-key.ts";
import { listBusinesses } from "./list-businesses.ts";
import { listDeadLetters } from "./list-dead-letters.ts";
import { listKeys } from "./list-keys.ts";
import { onProductCreated } from "./on-product-created.ts";
import { replayDeadLetter } from "./replay-dead-letter.ts";
import { reportGatewayHealth } from "./report-health.ts";
import { resendGatewayEvents } from "./resend-events.ts";
import { resumeBusiness } from "./resume-business.ts";
import { revokeKey } from "./revoke-key.ts";
import { rotateKey } from "./rotate-key.ts";
import { setBusinessSettings } from "./set-business-settings.ts";
import { setBusinessPlan } from "./set-business-plan.ts";
import { suspendBusiness } from "./suspend-business.ts";
import { updateSettings } from "./update-settings.ts";

/** One handler for each route and call that the contracts give this service. */
export const handlers = {
  checkHealth,
  createBusiness,
  describeBusiness,
  getBusiness,
  getSettings,
  issueKey,
  listBusinesses,
  listDeadLetters,
  listKeys,
  replayDeadLetter,
  reportGatewayHealth,
  resendGatewayEvents,
  resumeBusiness,
  revokeKey,
  rotateKey,
  setBusinessSettings,
  setBusinessPlan,
  suspendBusiness,
  updateSettings,
} satisfies HandlersOf<"gateway", Deps>;

/** One handler for each pattern of events that this service consumes. */
export const eventHandlers = {
  "product.created": onProductCreated,
} satisfies EventHandlersOf<"gateway", Deps>;
