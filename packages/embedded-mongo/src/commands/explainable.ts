import { aggregate } from "./aggregate.ts";
import type { Command } from "./command.ts";
import { count, distinct } from "./count.ts";
import { deleteCommand } from "./delete.ts";
import { find } from "./find.ts";
import { findAndModify } from "./find-and-modify.ts";
import { update } from "./update.ts";

/** The commands that `explain` takes. */
export const explainable: ReadonlyMap<string, Command> = new Map<string, Command>([
  ["find", find],
  ["count", count],
  ["distinct", distinct],
  ["aggregate", aggregate],
  ["update", update],
  ["delete", deleteCommand],
  ["findAndModify", findAndModify],
  ["findandmodify", findAndModify],
]);
