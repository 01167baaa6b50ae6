import { z } from "zod";
import { timestamp } from "../definition/fields.ts";
import { route } from "../definition/route.ts";

const operatorRoute = { audience: "operator", service: "gateway", rateClass: "none" } as const;

const deadLetter = z.object({
  seq: z.int(),
  consumer: z.string(),
  event: z.string(),
  reason: z.string(),
  at: timestamp,
  body: z.string(),
});

export type DeadLetterView = z.infer<typeof deadLetter>;

const wholeNumber = z.string().regex(/^\d{1,15}$/, { error: "must be a whole number" });

export const deadLetterRoutes = {
  listDeadLetters: route({
    ...operatorRoute,
    verb: "list-dead-letters",
    method: "GET",
    path: "/operator/dead/letters",
    summary: "Events that a handler refused too often, oldest first",
    query: z.object({
      from: wholeNumber.transform(Number).default(1),
      limit: wholeNumber.transform((text) => Math.min(100, Number(text))).default(100),
    }),
    reply: { status: 200, data: z.array(deadLetter) },
  }),
  replayDeadLetter: route({
    ...operatorRoute,
    verb: "replay-dead-letter",
    method: "POST",
    path: "/operator/dead/replay",
    summary: "Send a dead letter's event again and remove the letter",
    body: z.object({ seq: z.int().min(1) }),
    faultCodes: ["not_found"],
    reply: { status: 200, message: "Replayed successfully", data: z.object({ seq: z.int() }) },
  }),
} as const;
