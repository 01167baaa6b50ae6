import { isPage, isWrite, type Operation } from "@malipo/contracts";
import type { Clock } from "@malipo/core";
import { createFairQueue, type FairQueue, type FairQueueLimits } from "../fair-queue/index.ts";
import { type RequestContext, senderOf } from "./request-context.ts";

/**
 * The kinds of requests that wait in turn. Those of a kind that run at once hold about 4 MiB beside
 * their bodies, several times as much while they are read, built and written: a list may be as large
 * as a message, the largest record is a quarter of that, and the largest body is 256 KiB.
 */
const limits = {
  /** Few of one business: the store answers them one after the other. */
  list: { running: 16, runningPerKey: 2, waiting: 500, waitingPerKey: 250 },
  record: { running: 32, runningPerKey: 24, waiting: 1_000, waitingPerKey: 500 },
  largeBody: { running: 16, runningPerKey: 8, waiting: 1_000, waitingPerKey: 500 },
  page: { running: 32, runningPerKey: 8, waiting: 250, waitingPerKey: 100 },
  /** Room for all that wait in the services' own queues of PDFs, which take turns by business. */
  pdf: { running: 128, runningPerKey: 4, waiting: 250, waitingPerKey: 100 },
} as const satisfies Readonly<Record<string, FairQueueLimits>>;

type Kind = keyof typeof limits;

const smallBodyMax = 4 * 1_024;

/** The queue and the key that a request waits under. */
interface Place {
  readonly queue: FairQueue;
  readonly key: string;
}

/**
 * Tells which requests wait for what is scarce, memory and the store. They take turns by business,
 * those of visitors by address. No kind waits for another: a PDF is drawn for seconds, and a page
 * waits for other services. All others are small and run at once.
 */
export function createRequestQueues(
  clock: Clock,
): (operation: Operation, context: RequestContext, bodyBytes: number) => Place | undefined {
  const queues: Readonly<Record<Kind, FairQueue>> = {
    list: createFairQueue(limits.list, clock),
    record: createFairQueue(limits.record, clock),
    largeBody: createFairQueue(limits.largeBody, clock),
    page: createFairQueue(limits.page, clock),
    pdf: createFairQueue(limits.pdf, clock),
  };
  return (operation, context, bodyBytes) => {
    const kind = kindOf(operation, context, bodyBytes);
    return kind && { queue: queues[kind], key: senderOf(context) };
  };
}

function kindOf(
  operation: Operation,
  { businessid, client }: RequestContext,
  bodyBytes: number,
): Kind | undefined {
  // For seconds, and what it reads is small.
  if (operation.faultCodes.includes("provider_unreachable")) return undefined;
  const { reply, params } = operation;
  if (reply.media === "application/pdf") return "pdf";
  if (isPage(operation) || (client !== undefined && !isWrite(operation))) return "page";
  if (reply.paging !== undefined) return "list";
  if (businessid !== undefined && hasNoPlanLimit(operation)) return "list";
  if (bodyBytes > smallBodyMax) return "largeBody";
  const readsRecord = !isWrite(operation) || Object.keys(params).length > 0;
  return readsRecord ? "record" : undefined;
}

const hasNoPlanLimit = (operation: Operation) =>
  "rateClass" in operation && operation.rateClass === "none";
