import { aggregate } from "../aggregate/aggregate.ts";
import type { Command } from "../command.ts";
import { count } from "../read/count.ts";
import { distinct } from "../read/distinct.ts";
import { deleteCommand } from "../write/delete.ts";
import { find } from "../read/find.ts";
import { findAndModify } from "../write/find-and-modify.ts";
import { update } from "../write/update.ts";

/** The commands that `explain` supports. */
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
