import type { routes } from "@malipo/contracts";
import { addMs, err, fault, notFound, ok, secondMs } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { credentialStatus, viewCredential } from "../../domain/credential.ts";
import { issueCredential } from "../../workflows/issue-credential.ts";

/** The new secret is stored before the old one gets its end, so one of them always works. */
export const rotateKey =
  (deps: Deps): RouteHandler<typeof routes.rotateKey> =>
  async ({ params, body, cause: { now } }) => {
    const old = await deps.credentials.find(params.id);
    if (!old) return err(notFound("key"));
    const status = credentialStatus(old, now);
    if (status !== "active") return err(fault("conflict", { text: `Key is ${status}` }));
    const { credential, secret } = await issueCredential(deps, old.businessid, now);
    await deps.credentials.end(old.id, "expiresat", addMs(now, body.overlapseconds * secondMs));
    await deps.principalEviction.announce(old.businessid);
    return ok({ data: { ...viewCredential(credential, now), secret } });
  };
