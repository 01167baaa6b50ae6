import { z } from "zod";
import { call } from "../definition/call.ts";
import { timestamp } from "../definition/fields.ts";
import { route } from "../definition/route.ts";
import { type ServiceName, serviceNames } from "../definition/service-name.ts";

const count = z.int().min(0);

/** The facts that a service reports about itself. `malipo doctor` judges them. */
const serviceHealth = z.object({
  version: z.string(),
  node: z.string(),
  /** By the service's clock. */
  at: timestamp,
  store: z.object({
    /** Null if the database answers. */
    problem: z.string().nullable(),
    version: z.string().nullable(),
    /** Milliseconds by which the database's clock is ahead of the service's. */
    skewms: z.number(),
    missingindexes: z.array(z.string()),
  }),
  nats: z.object({
    version: z.string(),
    /** Recent publications and subscriptions that the server refused. */
    denied: z.array(z.string()),
  }),
  /** The consumers that it should have. The counts are null if the server does not know the consumer. */
  consumers: z.array(
    z.object({ name: z.string(), pending: count.nullable(), redelivered: count.nullable() }),
  ),
  outboxseconds: z.number(),
  /** Settings that must be equal in all services. A secret is shown as its fingerprint. */
  settings: z.record(z.string(), z.string()),
});

export type ServiceHealth = z.infer<typeof serviceHealth>;

function reportCall<Service extends ServiceName>(service: Service) {
  return call({
    service,
    verb: "report-health",
    callers: ["gateway"],
    effect: "reads",
    body: z.object({}),
    data: serviceHealth,
    worksWithoutStore: true,
  });
}

export type HealthCall = ReturnType<typeof reportCall<ServiceName>>;

export const healthCalls = {
  reportGatewayHealth: reportCall("gateway"),
  reportInvoiceHealth: reportCall("invoice"),
  reportPaymentHealth: reportCall("payment"),
  reportSubscriptionHealth: reportCall("subscription"),
  reportWebhookHealth: reportCall("webhook"),
  reportSchedulerHealth: reportCall("scheduler"),
} as const;

/** The result of one check, with advice if something is wrong. */
const finding = z.object({
  state: z.enum(["well", "doubtful", "wrong"]),
  area: z.enum([
    "connection",
    "version",
    "permission",
    "index",
    "clock",
    "consumer",
    "outbox",
    "dead letter",
    "configuration",
  ]),
  /** A service, or the system if the finding is about all of them. */
  about: z.enum([...serviceNames, "system"]),
  says: z.string(),
  advice: z.string().nullable(),
});

export type Finding = z.infer<typeof finding>;

export const healthRoutes = {
  checkHealth: route({
    audience: "operator",
    service: "gateway",
    rateClass: "none",
    verb: "check-health",
    method: "GET",
    path: "/operator/health",
    summary: "Ask every service how it is; what is wrong comes with what to do",
    worksWithoutStore: true,
    reply: { status: 200, data: z.object({ at: timestamp, findings: z.array(finding) }) },
  }),
} as const;
