import { z } from "zod";
import { call } from "./call.ts";
import { timestamp } from "./fields.ts";
import { route, type ServiceName, serviceNames } from "./route.ts";

const count = z.int().min(0);

/** What a service knows of itself: facts, which somebody else judges. */
const serviceHealth = z.object({
  version: z.string(),
  node: z.string(),
  /** By its own clock. */
  at: timestamp,
  store: z.object({
    /** Null if it answers. */
    problem: z.string().nullable(),
    version: z.string().nullable(),
    /** How far its clock is ahead of the service's, in milliseconds. */
    skewms: z.number(),
    missingindexes: z.array(z.string()),
  }),
  nats: z.object({
    version: z.string(),
    /** What the server has lately refused us to publish or to hear. */
    denied: z.array(z.string()),
  }),
  /** What it should consume; null of one that the server does not know. */
  consumers: z.array(
    z.object({ name: z.string(), pending: count.nullable(), redelivered: count.nullable() }),
  ),
  outboxseconds: z.number(),
  /** What has to be alike in all services; secrets as their fingerprints. */
  settings: z.record(z.string(), z.string()),
});

export type ServiceHealth = z.infer<typeof serviceHealth>;

function reportCall<Service extends ServiceName>(service: Service) {
  return call({
    service,
    verb: "report-health",
    askedBy: ["gateway"],
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

/** One thing that was looked at: how it stands, and what to do about it. */
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
  /** A service, or what all share. */
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
