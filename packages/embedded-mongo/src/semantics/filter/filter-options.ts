import type { Document } from "../values/document.ts";

export type FilterOptions = {
  /** The variables of the command's `let`, for `$expr`. */
  readonly variables?: Document | undefined;
  readonly now?: Date | undefined;
  /** Throws if the command has exceeded its time limit. */
  readonly checkTime?: (() => void) | undefined;
};
