import type { EventHandlersOf, HandlersOf } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { createBusiness } from "./businesses/create-business.ts";
import { describeBusiness } from "./businesses/describe-business.ts";
import { getBusiness } from "./businesses/get-business.ts";
import { getSettings } from "./businesses/get-settings.ts";
import { listBusinesses } from "./businesses/list-businesses.ts";
import { resumeBusiness } from "./businesses/resume-business.ts";
import { setBusinessPlan } from "./businesses/set-business-plan.ts";
import { setBusinessSettings } from "./businesses/set-business-settings.ts";
import { suspendBusiness } from "./businesses/suspend-business.ts";
import { updateSettings } from "./businesses/update-settings.ts";
import { onProductCreated } from "./events/on-product-created.ts";
import { issueKey } from "./keys/issue-key.ts";
import { listKeys } from "./keys/list-keys.ts";
import { revokeKey } from "./keys/revoke-key.ts";
import { rotateKey } from "./keys/rotate-key.ts";
import { checkHealth } from "./operations/check-health.ts";
import { listDeadLetters } from "./operations/list-dead-letters.ts";
import { replayDeadLetter } from "./operations/replay-dead-letter.ts";
import { reportGatewayHealth } from "./operations/report-health.ts";
import { resendGatewayEvents } from "./operations/resend-events.ts";

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
