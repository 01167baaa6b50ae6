import { err, fault, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { cardRoutes } from "./page-contract.ts";

const showCard: RouteHandler<typeof cardRoutes.showCard> = async ({ params: { code } }) => {
  if (code === "none") return err(notFound("card"));
  if (code === "oops") return err(fault("internal_error", { logText: "for the log only" }));
  if (code === "bare") return ok({ bytes: "<p>bare</p>" });
  return ok({
    bytes: `<p>Dear ${code}, jambo ✓</p>`,
    version: `${code}-1`,
    policy: "default-src 'none'; img-src data:",
    filename: `${code}.html`,
  });
};

const drawCard: RouteHandler<typeof cardRoutes.drawCard> = async () =>
  ok({ bytes: Uint8Array.of(0, 0xff, 0x80) });

const signCard: RouteHandler<typeof cardRoutes.signCard> = async ({ body }) => ok({ data: body });

export const cardHandlers = {
  showCard: () => showCard,
  drawCard: () => drawCard,
  signCard: () => signCard,
};
