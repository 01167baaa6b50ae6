import { z } from "zod";

const limitMax = 100;
const recordMax = 100_000;

function wholeNumberFrom1(fallback: number, maximum: number, description: string) {
  return (
    z
      .string()
      .regex(/^0*[1-9]\d*$/, { error: "must be a whole number, at least 1" })
      .transform(Number)
      .default(fallback)
      // A query parameter arrives as text; the reference shows it as a number.
      .meta({ description, type: "integer", minimum: 1, maximum, default: fallback })
  );
}

const limit = wholeNumberFrom1(
  10,
  limitMax,
  "Records a page; a larger limit counts as 100.",
).transform((asked) => Math.min(asked, limitMax));

const pageFields = {
  page: wholeNumberFrom1(1, recordMax, "The page; page × limit is at most 100,000."),
  limit,
};

/** The page size of a list that is read by cursor. */
export const feedLimit = limit;

/** The query of a list: page, limit and its filters. A limit above 100 counts as 100. */
export function listQuery<Filters extends z.ZodRawShape>(filters: Filters) {
  return z.object({ ...pageFields, ...filters }).refine(isWithinRecordMax, {
    path: ["page"],
    error: `reaches beyond record ${recordMax}; narrow the list with a filter`,
  });
}

function isWithinRecordMax({ page, limit }: { page?: unknown; limit?: unknown }): boolean {
  // A page or limit that is not a number already has its own problem.
  return !(Number(page) * Number(limit) > recordMax);
}

/** The query of a list without filters. */
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

/** The paging object of a list that a reader follows with a cursor, past its present end too. */
export const cursorPaging = z.object({
  cursor: z.string().meta({
    description: "Where to go on: what comes later is behind it, whenever that is.",
    examples: ["AXm0c1VvZ3JhcGhpZQ"],
  }),
  more: z.boolean().meta({ description: "Whether there is more already." }),
});

export type CursorPaging = z.infer<typeof cursorPaging>;

/** The paging object of a list that is read by offset. */
export const offsetPaging = paging.extend({
  offset: z
    .int()
    .min(0)
    .meta({ description: "Records left out before these.", examples: [0] }),
});

export type OffsetPaging = z.infer<typeof offsetPaging>;
