import type { routes } from "@malipo/contracts";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

export const listEvents =
  (deps: Deps): RouteHandler<typeof routes.listEvents> =>
  async ({ businessid, query }) => {
    const start = await startPosition(deps, businessid, query);
    if (!start.ok) return start;
    const { limit } = query;
    const { events, position, more } = await deps.log.page(businessid, {
      after: start.value,
      limit,
    });
    return ok({
      data: events.map((event) => ({
        eventid: event.id,
        type: event.type,
        resourceid: event.resourceid,
        sequence: event.sequence,
        createdat: event.at.toISOString(),
        body: JSON.parse(event.body) as unknown,
      })),
      paging: { cursor: deps.cursors.write(businessid, position), more },
    });
  };

async function startPosition(
  { log, cursors }: Deps,
  businessid: string,
  { cursor, from }: { readonly cursor?: string | undefined; readonly from: "oldest" | "newest" },
): Promise<Result<number, Fault>> {
  if (cursor === undefined) return ok(from === "newest" ? await log.newest() : 0);
  const position = cursors.read(businessid, cursor);
  if (position === undefined) return err(cursorFault("is not one of this list"));
  // Events in between may be deleted, and the reader must learn that.
  const isTooOld = position < (await log.oldest()) - 1;
  return isTooOld ? err(cursorFault("is older than the events that are kept")) : ok(position);
}

function cursorFault(problem: string): Fault {
  const text = `cursor ${problem}; begin again without one`;
  return fault("invalid_request", { text, fields: [{ path: "cursor", problem }] });
}
