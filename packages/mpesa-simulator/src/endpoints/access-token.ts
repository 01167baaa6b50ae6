import { buildReply } from "../daraja/replies.ts";
import { type Answer, answerWith, type Handler, type ReceivedRequest } from "../http/answer.ts";
import { jsonReply } from "../http/reply.ts";
import type { SimulatorContext } from "../simulator-context.ts";

export function issueAccessToken({ merchants, tokens, settings }: SimulatorContext): Handler {
  return ({ headers, query }): Answer => {
    const application = readApplication(headers.authorization);
    const isKnown = merchants.some(
      ({ key, secret }) => application?.key === key && application.secret === secret,
    );
    if (!application || !isKnown) return answerWith(buildReply("invalidAuthentication"));
    if (query.get("grant_type") !== "client_credentials") {
      return answerWith(buildReply("invalidGrantType"));
    }
    const { tokenSeconds, newTokenEndsOlder } = settings().switches;
    const token = tokens.issue(application.key, tokenSeconds, newTokenEndsOlder);
    return answerWith(
      // Daraja sends the lifetime as a string.
      jsonReply(200, { access_token: token, expires_in: String(tokenSeconds) }),
    );
  };
}

function readApplication(
  authorization: ReceivedRequest["headers"]["authorization"],
): { key: string; secret: string } | null {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return null;
  const [key = "", ...secret] = Buffer.from(encoded, "base64").toString().split(":");
  return { key, secret: secret.join(":") };
}
