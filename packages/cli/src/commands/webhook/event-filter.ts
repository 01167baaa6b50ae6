import { publicEventTypes } from "@malipo/contracts";
import { parseChoice } from "../../command-line/values.ts";

const families = [...new Set(publicEventTypes.map((type) => `${type.split(".")[0]}.*`))];

/** Parses types like `invoice.paid` and families like `invoice.*`, separated by commas. */
export function parseEventFilter(text: string): (type: string) => boolean {
  const choices = text
    .split(",")
    .map((part) => parseChoice("--events", part.trim(), ["*", ...families, ...publicEventTypes]));
  return (type) =>
    choices.some((choice) =>
      choice.endsWith("*") ? type.startsWith(choice.slice(0, -1)) : type === choice,
    );
}
