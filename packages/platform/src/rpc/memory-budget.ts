import { isPage, isWrite, type Operation } from "@malipo/contracts";

const kib = 1_024;

/** Requests in progress hold at most so many bytes of bodies; the next one is refused. */
const bodyBytesMax = 16 * 1_024 * kib;
/** Requests of one kind that run at once cost at most so much; the others of the kind wait. */
const runningCostMax = 4 * 1_024 * kib;

/**
 * The kinds of requests, each with what one of them holds beside its body. A list may be as large as
 * a message, and the largest record is a quarter of that. Both are several times as large while they
 * are read, built and written. No kind waits for another: a PDF is drawn for seconds, and a page
 * waits for other services.
 */
const costs = { body: 0, record: 128 * kib, list: 256 * kib, page: 128 * kib, pdf: 128 * kib };

type Kind = keyof typeof costs;

/** Bounds the memory that the requests in progress of a service use, whatever they ask for. */
export interface MemoryBudget {
  /** Counts the body of one more request; false if there is no room for it. */
  holdBody(bodyBytes: number): boolean;
  releaseBody(bodyBytes: number): void;
  /** Runs the work when the requests of its kind leave room. */
  run(operation: Operation, bodyBytes: number, work: () => Promise<void>): Promise<void>;
}

export function createMemoryBudget(): MemoryBudget {
  let bodyBytesHeld = 0;
  const lanes: Readonly<Record<Kind, Lane>> = {
    body: createLane(),
    record: createLane(),
    list: createLane(),
    page: createLane(),
    pdf: createLane(),
  };
  return {
    holdBody: (bodyBytes) => {
      if (bodyBytesHeld + bodyBytes > bodyBytesMax) return false;
      bodyBytesHeld += bodyBytes;
      return true;
    },
    releaseBody: (bodyBytes) => {
      bodyBytesHeld -= bodyBytes;
    },
    run: async (operation, bodyBytes, work) => {
      if (waitsForProvider(operation)) return work();
      const kind = kindOf(operation);
      return lanes[kind](costs[kind] + bodyBytes, work);
    },
  };
}

/** For seconds, and what it reads is small. */
function waitsForProvider({ faultCodes }: Operation): boolean {
  return faultCodes.includes("provider_unreachable");
}

function kindOf(operation: Operation): Kind {
  const { reply, params } = operation;
  if (reply.media === "application/pdf") return "pdf";
  if (isPage(operation)) return "page";
  if (reply.paging !== undefined) return "list";
  const readsRecord = !isWrite(operation) || Object.keys(params).length > 0;
  return readsRecord ? "record" : "body";
}

type Lane = (cost: number, work: () => Promise<void>) => Promise<void>;

/** Runs work in the order of its arrival, at once as long as its cost fits. */
function createLane(): Lane {
  const waiting: { readonly cost: number; readonly start: () => void }[] = [];
  let running = 0;

  function startNext(): void {
    for (;;) {
      const [next] = waiting;
      if (!next || (running > 0 && running + next.cost > runningCostMax)) return;
      waiting.shift();
      running += next.cost;
      next.start();
    }
  }

  return async (cost, work) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push({ cost, start: resolve });
    startNext();
    await promise;
    try {
      await work();
    } finally {
      running -= cost;
      startNext();
    }
  };
}
