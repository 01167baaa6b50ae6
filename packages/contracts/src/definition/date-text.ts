import { parseIsoDate } from "@malipo/core";
import { z } from "zod";

/** Reads a date-time, or a date alone as the first or the last moment of that day in Nairobi. */
export function dateText(ofDay: "start" | "end", problem: string, text = z.string()) {
  return text.transform((value, check) => {
    const moment = parseIsoDate(value, ofDay);
    if (moment) return moment;
    check.addIssue({ code: "custom", message: problem });
    return z.NEVER;
  });
}
