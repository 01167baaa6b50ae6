import type { SandboxMerchant } from "@malipo/contracts";
import { drawFraction } from "../behaviour/random-faults.ts";
import { findMerchant, isTimely } from "../daraja/credentials.ts";
import { buildInvalidField, buildReply } from "../daraja/replies.ts";
import type { ParsedRequest, SignedRequest } from "../daraja/requests.ts";
import type { ReceivedRequest } from "../http/answer.ts";
import type { Reply } from "../http/reply.ts";
import type { SimulatorContext } from "../simulator-context.ts";

type Authenticated<Request> =
  | { readonly ok: true; readonly request: Request; readonly merchant: SandboxMerchant }
  | { readonly ok: false; readonly reply: Reply };

/** Checks access token, body, timestamp and password, in Daraja's order. */
export function createAuthenticator<Request extends SignedRequest>(
  context: SimulatorContext,
  parse: (body: string) => ParsedRequest<Request>,
): (received: ReceivedRequest) => Authenticated<Request> {
  let requestCount = 0;
  return (received) => {
    const token = readToken(received);
    requestCount += 1;
    const { seed, rates } = context.settings().random;
    if (drawFraction(seed, "tokenRevoked", requestCount) < rates.tokenRevoked) {
      context.tokens.revoke(token);
    }
    const applicationKey = context.tokens.findApplicationKey(token);
    if (applicationKey === null) return reject(buildReply("invalidToken404"));

    const parsed = parse(received.body);
    if (!parsed.ok) {
      return reject(
        parsed.field === null ? buildReply("invalidPayload") : buildInvalidField(parsed.field),
      );
    }
    const { request } = parsed;
    const { timestampSkewMinutes } = context.settings().switches;
    if (!isTimely(request.Timestamp, context.now(), timestampSkewMinutes)) {
      return reject(buildInvalidField("Timestamp"));
    }
    const found = findMerchant(request, applicationKey, context.merchants);
    if ("rejection" in found) return reject(buildReply(found.rejection));
    return { ok: true, request, merchant: found.merchant };
  };
}

function reject(reply: Reply) {
  return { ok: false, reply } as const;
}

export function readToken({ headers }: ReceivedRequest): string {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}
