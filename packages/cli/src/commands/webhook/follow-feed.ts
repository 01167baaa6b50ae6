import { setTimeout as sleep } from "node:timers/promises";
import { routes } from "@malipo/contracts";
import type { Answer, Api } from "../../api/api-client.ts";
import { Problem } from "../../command-error.ts";

const lookEveryMs = 500;
const retryEveryMs = 1_000;
const pageSize = "100";

export type FeedEvent = Answer<typeof routes.listEvents>["data"][number];
type Page = Answer<typeof routes.listEvents>;
type Place = { readonly from: "oldest" | "newest" } | { readonly cursor: string };

interface Follow {
  readonly api: Api;
  readonly from: "oldest" | "newest";
  readonly interrupted: AbortSignal;
  /** The place is known: nothing that happens from now on is missed. */
  readonly onReady: () => void;
  /** What whoever watches should know beside the events. */
  readonly note: (sentence: string) => void;
}

/**
 * Every event from a place on, for as long as it is not interrupted. What cannot be reached at first
 * is an error; later it is waited for, and the cursor knows where to go on.
 */
export async function* followFeed({ api, from, interrupted, note, onReady }: Follow) {
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
    if (!more) await pause(lookEveryMs, interrupted);
    page = await readAgain(api, { cursor }, { interrupted, note });
  }
}

async function readAgain(
  api: Api,
  place: Place,
  { interrupted, note }: Pick<Follow, "interrupted" | "note">,
): Promise<Page | undefined> {
  for (let tries = 0; !interrupted.aborted; tries += 1) {
    try {
      const page = await readPage(api, place, interrupted);
      if (tries > 0) note("It answers again.");
      return page;
    } catch (error) {
      if (interrupted.aborted) return undefined;
      if (!(error instanceof Problem)) throw error;
      if (error.status === 400) {
        note("The log of events was begun anew; so is this list, from the oldest event on.");
        return readAgain(api, { from: "oldest" }, { interrupted, note });
      }
      if (!isPassing(error)) throw error;
      if (tries === 0) note(`${error.message} Trying again until it answers.`);
      await pause(retryEveryMs, interrupted);
    }
  }
  return undefined;
}

async function readPage(api: Api, place: Place, signal: AbortSignal): Promise<Page> {
  return api.ask(routes.listEvents, { query: { ...place, limit: pageSize }, signal });
}

/** A gateway or a service that is being started anew. */
function isPassing({ kind, status = 0 }: Problem): boolean {
  return kind === "unreachable" || status === 429 || status >= 500;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
