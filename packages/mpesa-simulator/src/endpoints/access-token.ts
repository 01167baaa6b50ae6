import { type Answer, answerWith, type Handler, type Received } from "../http/answer.ts";
import type { World } from "../simulator-context.ts";
import { jsonReply, reply } from "../daraja/replies.ts";

export function oauth({ merchants, tokens, settings }: World): Handler {
  return ({ headers, query }): Answer => {
    const application = applicationIn(headers.authorization);
    const known = merchants.some(
      ({ key, secret }) => application?.key === key && application.secret === secret,
    );
    if (!application || !known) return answerWith(reply("invalidAuthentication"));
    if (query.get("grant_type") !== "client_credentials") {
      return answerWith(reply("invalidGrantType"));
    }
    const { tokenSeconds, newTokenEndsOlder } = settings().switches;
    const token = tokens.issue(application.key, tokenSeconds, newTokenEndsOlder);
    return answerWith(
      // A number would be the natural thing, but a string is what comes.
      jsonReply(200, { access_token: token, expires_in: String(tokenSeconds) }),
    );
  };
}

function applicationIn(
  authorization: Received["headers"]["authorization"],
): { key: string; secret: string } | null {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return null;
  const [key = "", ...secret] = Buffer.from(encoded, "base64").toString().split(":");
  return { key, secret: secret.join(":") };
}
