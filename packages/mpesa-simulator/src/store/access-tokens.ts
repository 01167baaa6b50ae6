import { randomBytes } from "node:crypto";

interface Token {
  readonly applicationKey: string;
  readonly expiresAtMs: number;
}

const tokensMax = 1_000;

export interface AccessTokens {
  issue(applicationKey: string, lifetimeSeconds: number, revokesOlder: boolean): string;
  /** Returns the application's key, or null when the token is unknown, expired or revoked. */
  findApplicationKey(token: string): string | null;
  revoke(token: string): void;
}

export function createAccessTokens(now: () => Date): AccessTokens {
  const tokens = new Map<string, Token>();
  return {
    issue: (applicationKey, lifetimeSeconds, revokesOlder) => {
      if (revokesOlder) {
        for (const [text, token] of tokens) {
          if (token.applicationKey === applicationKey) tokens.delete(text);
        }
      }
      const [oldest] = tokens.keys();
      if (tokens.size >= tokensMax && oldest !== undefined) tokens.delete(oldest);
      const text = randomBytes(21).toString("base64url");
      const expiresAtMs = now().getTime() + lifetimeSeconds * 1_000;
      tokens.set(text, { applicationKey, expiresAtMs });
      return text;
    },
    findApplicationKey: (text) => {
      const token = tokens.get(text);
      return token && token.expiresAtMs > now().getTime() ? token.applicationKey : null;
    },
    revoke: (text) => void tokens.delete(text),
  };
}
