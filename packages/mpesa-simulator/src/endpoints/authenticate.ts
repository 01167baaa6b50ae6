import type { SandboxMerchant } from "@malipo/contracts";
import type { Received } from "../http/answer.ts";
import { draw } from "../behaviour/random-faults.ts";
import type { World } from "../simulator-context.ts";
import { isTimely, merchantOf } from "../daraja/credentials.ts";
import type { Read, SignedRequest } from "../daraja/requests.ts";
import { invalidField, type Reply, reply } from "../daraja/replies.ts";

type SignedIn<Request> =
  | { readonly ok: true; readonly request: Request; readonly merchant: SandboxMerchant }
  | { readonly ok: false; readonly reply: Reply };

/** Access token, body, time and password, in the order in which they are looked at. */
export function signedIn<Request extends SignedRequest>(
  world: World,
): (received: Received, read: (body: string) => Read<Request>) => SignedIn<Request> {
  let requests = 0;
  return (received, read) => {
    const token = tokenIn(received);
    requests += 1;
    const { seed, rates } = world.settings().random;
    if (draw(seed, "tokenRevoked", requests) < rates.tokenRevoked) world.tokens.revoke(token);
    const holder = world.tokens.holderOf(token);
    if (holder === null) return refused(reply("invalidToken404"));

    const given = read(received.body);
    if (!given.ok) {
      return refused(given.field === null ? reply("invalidPayload") : invalidField(given.field));
    }
    const { request } = given;
    const { timestampSkewMinutes } = world.settings().switches;
    if (!isTimely(request.Timestamp, world.now(), timestampSkewMinutes)) {
      return refused(invalidField("Timestamp"));
    }
    const found = merchantOf(request, holder, world.merchants);
    if ("refusal" in found) return refused(reply(found.refusal));
    return { ok: true, request, merchant: found.merchant };
  };
}

function refused(reply: Reply) {
  return { ok: false, reply } as const;
}

export function tokenIn({ headers }: Received): string {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}
