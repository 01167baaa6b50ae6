import { type About, answerWith, type Handler } from "../http/answer.ts";
import { jsonReply } from "../daraja/replies.ts";

/** One request as it came in and how it was answered; the status is null when it was not. */
export interface RequestRecord extends About {
  readonly at: Date;
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
}

const shownMax = 1_000;

/** The last ones, oldest first. */
export function listRequests(all: () => readonly RequestRecord[]): Handler {
  return () => answerWith(jsonReply(200, { requests: all().slice(-shownMax) }));
}
