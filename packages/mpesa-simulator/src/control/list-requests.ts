import { answerWith, type Handler } from "../http/answer.ts";
import { jsonReply } from "../http/reply.ts";
import type { RequestRecord } from "../http/server.ts";

const listedMax = 1_000;

/** Lists the newest requests, oldest first. */
export function listRequests(all: () => readonly RequestRecord[]): Handler {
  return () => answerWith(jsonReply(200, { requests: all().slice(-listedMax) }));
}
