import { type ConsumerContract, route, title } from "@malipo/contracts";
import { z } from "zod";

const noteView = z.object({ _id: z.string(), text: z.string() });
const ofNotes = { audience: "public", service: "gateway", rateClass: "none" } as const;

/** A contract of these tests' own, as small as one can be: no service's growth touches them. */
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

/** Events have the types of the system's contract; a note borrows a product's. */
export const testConsumer: ConsumerContract = {
  service: "gateway",
  event: "product.created",
  ackWaitMs: 30_000,
  batchMax: 100,
  refusalsMax: 5,
  // Refusals of a test need not be far apart, but their distance must grow.
  refusalDelayMs: 20,
};
