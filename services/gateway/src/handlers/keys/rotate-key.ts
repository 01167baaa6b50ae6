import type { routes } from "@malipo/contracts";
import { addMs, err, type Fault, fault, notFound, ok, type Result, secondMs } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { type Credential, credentialStatus, viewCredential } from "../../domain/credential.ts";
import { issueCredential } from "../../workflows/issue-credential.ts";

/**
 * The new secret is stored before the old one gets its end, so one of them always works. A request
 * that finds the old one ended by then revokes its own new one.
 */
export const rotateKey =
  (deps: Deps): RouteHandler<typeof routes.rotateKey> =>
  async ({ params, body, cause: { now } }) => {
    const { credentials, principalEviction } = deps;
    const old = await credentials.find(params.id);
    if (!old) return err(notFound("key"));
    if (credentialStatus(old, now) !== "active") return refuseEnded(deps, old, now);
    const { credential, secret } = await issueCredential(deps, old.businessid, now);
    const expired = await credentials.expire(old.id, addMs(now, body.overlapseconds * secondMs));
    if (!expired) {
      await credentials.revoke(credential.id, now);
      return refuseEnded(deps, (await credentials.find(old.id)) ?? old, now);
    }
    await principalEviction.announce(old.businessid);
    return ok({ data: { ...viewCredential(credential, now), secret } });
  };

/** The request that ended the key may have died before all gateways knew. */
async function refuseEnded(
  { principalEviction }: Deps,
  ended: Credential,
  now: Date,
): Promise<Result<never, Fault>> {
  await principalEviction.announce(ended.businessid);
  return err(fault("conflict", { text: `Key is ${credentialStatus(ended, now)}` }));
}
