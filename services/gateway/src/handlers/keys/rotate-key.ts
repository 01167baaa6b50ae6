import type { routes } from "@malipo/contracts";
import { addMs, err, fault, notFound, ok, secondMs } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { statusOf, viewCredential } from "../../domain/credential.ts";
import type { Deps } from "../../deps.ts";
import { issueSecret } from "../../workflows/issue-credential.ts";

/** The new secret exists before the old one's end is set: at no moment is there none. */
export const rotateKey =
  (deps: Deps): RouteHandler<typeof routes.rotateKey> =>
  async ({ params, body, cause: { now } }) => {
    const old = await deps.credentials.find(params.id);
    if (!old) return err(notFound("key"));
    const status = statusOf(old, now);
    if (status !== "active") return err(fault("conflict", { text: `Key is ${status}` }));
    const { credential, secret } = await issueSecret(deps, old.businessid, now);
    await deps.credentials.end(old.id, "expiresat", addMs(now, body.overlapseconds * secondMs));
    await deps.evictions.announce(old.businessid);
    return ok({ data: { ...viewCredential(credential, now), secret } });
  };
