import { page, route, type Route } from "@malipo/contracts";
import { z } from "zod";

const codes = { noun: "card", code: /^[a-z]{4}$/ } as const;

/** Routes of these tests alone, so that they do not change with a service. */
export const cardRoutes = {
  showCard: page({
    ...codes,
    service: "gateway",
    verb: "show-card",
    path: "/card/:code",
    summary: "A card",
    media: "text/html; charset=utf-8",
  }),
  drawCard: page({
    ...codes,
    service: "gateway",
    verb: "draw-card",
    path: "/card/:code.svg",
    summary: "A picture of a card",
    media: "image/svg+xml",
    maxAgeSeconds: 60,
  }),
  signCard: route({
    audience: "page",
    service: "gateway",
    verb: "sign-card",
    method: "POST",
    path: "/card/:code/sign",
    summary: "Sign a card",
    rateClass: "none",
    params: { code: codes.noun },
    paramPatterns: { code: codes.code },
    body: z.object({ name: z.string() }),
    reply: { status: 200, data: z.object({ name: z.string() }) },
  }),
} as const;

export const pageRoutes: readonly Route[] = Object.values(cardRoutes);
