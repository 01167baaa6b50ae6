import { z } from "zod";

const largestPage = 100;
const deepestRecord = 100_000;

function wholeNumberFrom1(fallback: number, maximum: number, description: string) {
  return (
    z
      .string()
      .regex(/^0*[1-9]\d*$/, { error: "must be a whole number, at least 1" })
      .transform(Number)
      .default(fallback)
      // A query is text on the wire; what it means is a number.
      .meta({ description, type: "integer", minimum: 1, maximum, default: fallback })
  );
}

const limit = wholeNumberFrom1(
  10,
  largestPage,
  "Records a page; a larger limit counts as 100.",
).transform((asked) => Math.min(asked, largestPage));

const pageFields = {
  page: wholeNumberFrom1(1, deepestRecord, "The page; page × limit is at most 100,000."),
  limit,
};

/** Of a list that is read by cursor. */
export const feedLimit = limit;

/** The query of a list, with what narrows it; limits above the largest page are capped, not refused. */
export function listQuery<Filters extends z.ZodRawShape>(filters: Filters) {
  return z.object({ ...pageFields, ...filters }).refine(isWithinReach, {
    path: ["page"],
    error: `reaches beyond record ${deepestRecord}; narrow the list with a filter`,
  });
}

function isWithinReach({ page, limit }: { page?: unknown; limit?: unknown }): boolean {
  // Of what is no number its own problem is told already.
  return !(Number(page) * Number(limit) > deepestRecord);
}

/** The query of a list that nothing narrows. */
export const pageQuery = listQuery({});

export const paging = z.object({
  total: z
    .int()
    .min(0)
    .meta({ description: "Records that match, on all pages.", examples: [1] }),
  page: z
    .int()
    .min(1)
    .meta({ description: "This page.", examples: [1] }),
  limit: z
    .int()
    .min(1)
    .meta({ description: "Records a page.", examples: [10] }),
  pages: z
    .int()
    .min(0)
    .meta({ description: "Pages in all.", examples: [1] }),
});

export type Paging = z.infer<typeof paging>;

/** Of a list that is read to its end and then on from there. */
export const cursorPaging = z.object({
  cursor: z.string().meta({
    description: "Where to go on: what comes later is behind it, whenever that is.",
    examples: ["AXm0c1VvZ3JhcGhpZQ"],
  }),
  more: z.boolean().meta({ description: "Whether there is more already." }),
});

export type CursorPaging = z.infer<typeof cursorPaging>;

/** Of a list that is asked for by an offset. */
export const offsetPaging = paging.extend({
  offset: z
    .int()
    .min(0)
    .meta({ description: "Records left out before these.", examples: [0] }),
});

export type OffsetPaging = z.infer<typeof offsetPaging>;
