import { setTimeout as sleep } from "node:timers/promises";
import { routes } from "@malipo/contracts";
import type { ApiClient, ApiResult } from "../../api/api-client.ts";
import { CommandError } from "../../command-error.ts";

const pollIntervalMs = 500;
const retryIntervalMs = 1_000;
const pageSize = "100";

export type FeedEvent = ApiResult<typeof routes.listEvents>["data"][number];
type Page = ApiResult<typeof routes.listEvents>;
type FeedPosition = { readonly from: "oldest" | "newest" } | { readonly cursor: string };

interface FollowOptions {
  readonly api: ApiClient;
  readonly from: "oldest" | "newest";
  readonly interrupted: AbortSignal;
  /** Called when the position in the feed is known. Every later event is delivered. */
  readonly onReady: () => void;
  /** Shows the user a remark, for example that the connection is lost. */
  readonly note: (sentence: string) => void;
}

/**
 * Yields every event from a position on until it is interrupted. If the API cannot be reached at the
 * start, it throws. Later it retries until the API answers, and the cursor makes sure that no event
 * is missed.
 */
export async function* followFeed({ api, from, interrupted, note, onReady }: FollowOptions) {
  let page: Page | undefined;
  try {
    page = await readPage(api, { from }, interrupted);
  } catch (error) {
    if (!interrupted.aborted) throw error;
    return;
  }
  onReady();
  while (page) {
    for (const event of page.data) {
      if (interrupted.aborted) return;
      yield event;
    }
    const { cursor, more }: Page["paging"] = page.paging;
    if (!more) await pause(pollIntervalMs, interrupted);
    page = await readPageWithRetry(api, { cursor }, { interrupted, note });
  }
}

async function readPageWithRetry(
  api: ApiClient,
  position: FeedPosition,
  { interrupted, note }: Pick<FollowOptions, "interrupted" | "note">,
): Promise<Page | undefined> {
  for (let attempt = 0; !interrupted.aborted; attempt += 1) {
    try {
      const page = await readPage(api, position, interrupted);
      if (attempt > 0) note("The API answers again.");
      return page;
    } catch (error) {
      if (interrupted.aborted) return undefined;
      if (!(error instanceof CommandError)) throw error;
      if (error.status === 400) {
        note("The event log was reset. Listing again from the oldest event.");
        return readPageWithRetry(api, { from: "oldest" }, { interrupted, note });
      }
      if (!isTemporary(error)) throw error;
      if (attempt === 0) note(`${error.message} Trying again until it answers.`);
      await pause(retryIntervalMs, interrupted);
    }
  }
  return undefined;
}

async function readPage(
  api: ApiClient,
  position: FeedPosition,
  signal: AbortSignal,
): Promise<Page> {
  return api.call(routes.listEvents, { query: { ...position, limit: pageSize }, signal });
}

/** True for errors of a gateway or service that is restarting or overloaded. */
function isTemporary({ kind, status = 0 }: CommandError): boolean {
  return kind === "unreachable" || status === 429 || status >= 500;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
