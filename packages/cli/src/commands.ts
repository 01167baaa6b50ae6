import type { Command } from "./command-line/command.ts";
import { billingExplain } from "./commands/billing/explain.ts";
import { billingPreview } from "./commands/billing/preview.ts";
import { businessCreate } from "./commands/business/create.ts";
import { businessList } from "./commands/business/list.ts";
import { businessResume } from "./commands/business/resume.ts";
import { businessSetPlan } from "./commands/business/set-plan.ts";
import { businessSet } from "./commands/business/set.ts";
import { businessShow } from "./commands/business/show.ts";
import { businessSuspend } from "./commands/business/suspend.ts";
import { deadList } from "./commands/dead/list.ts";
import { deadReplay } from "./commands/dead/replay.ts";
import { doctor } from "./commands/doctor.ts";
import { eventsResend } from "./commands/events/resend.ts";
import { keyIssue } from "./commands/key/issue.ts";
import { keyList } from "./commands/key/list.ts";
import { keyRevoke } from "./commands/key/revoke.ts";
import { keyRotate } from "./commands/key/rotate.ts";
import { parkedList } from "./commands/parked/list.ts";
import { parkedRetry } from "./commands/parked/retry.ts";
import { runNow } from "./commands/run/now.ts";
import { runsList } from "./commands/runs/list.ts";
import { runsShow } from "./commands/runs/show.ts";
import { runsWatch } from "./commands/runs/watch.ts";
import { suspenseAssign } from "./commands/suspense/assign.ts";
import { suspenseList } from "./commands/suspense/list.ts";
import { webhookListen } from "./commands/webhook/listen.ts";

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  businessCreate,
  businessList,
  businessShow,
  businessSuspend,
  businessResume,
  businessSetPlan,
  businessSet,
  keyIssue,
  keyList,
  keyRotate,
  keyRevoke,
  doctor,
  deadList,
  deadReplay,
  eventsResend,
  webhookListen,
  suspenseList,
  suspenseAssign,
  runsList,
  runsShow,
  runsWatch,
  runNow,
  parkedList,
  parkedRetry,
  billingPreview,
  billingExplain,
];
