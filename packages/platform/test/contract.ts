import { type ConsumerContract, route, title } from "@malipo/contracts";
import { z } from "zod";

const noteView = z.object({ _id: z.string(), text: z.string() });
const ofNotes = { audience: "public", service: "gateway", rateClass: "plan" } as const;

/** A minimal contract for these tests, so that changes of the services do not affect them. */
export const noteRoutes = {
  createNote: route({
    ...ofNotes,
    verb: "create-note",
    method: "POST",
    path: "/note/create",
    summary: "Write a note",
    body: z.object({ text: title, colour: z.enum(["white", "yellow"]) }),
    reply: { status: 201, message: "Note created successfully", data: noteView },
  }),
  getNote: route({
    ...ofNotes,
    verb: "get-note",
    method: "GET",
    path: "/note/details/:id",
    summary: "One note",
    params: { id: "note" },
    reply: { status: 200, data: noteView },
  }),
} as const;

/** Event types come from the system's contract; a note uses that of a product. */
export const testConsumer: ConsumerContract = {
  service: "gateway",
  event: "product.created",
  ackWaitMs: 30_000,
  batchMax: 100,
  attemptsMax: 5,
  // Retries are close together in a test, but their delay must grow.
  retryDelayMs: 20,
};
