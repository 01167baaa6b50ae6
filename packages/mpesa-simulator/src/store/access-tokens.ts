import { randomBytes } from "node:crypto";

interface Token {
  readonly key: string;
  readonly expiresAt: number;
}

const tokensMax = 1_000;

export interface Tokens {
  issue(key: string, lifetimeSeconds: number, endsOlder: boolean): string;
  /** The key of the application that holds it; null when it is unknown, expired or revoked. */
  holderOf(token: string): string | null;
  revoke(token: string): void;
}

export function createTokens(now: () => Date): Tokens {
  const live = new Map<string, Token>();
  return {
    issue: (key, lifetimeSeconds, endsOlder) => {
      if (endsOlder) {
        for (const [token, of] of live) if (of.key === key) live.delete(token);
      }
      const [oldest] = live.keys();
      if (live.size >= tokensMax && oldest !== undefined) live.delete(oldest);
      const token = randomBytes(21).toString("base64url");
      live.set(token, { key, expiresAt: now().getTime() + lifetimeSeconds * 1_000 });
      return token;
    },
    holderOf: (token) => {
      const found = live.get(token);
      return found && found.expiresAt > now().getTime() ? found.key : null;
    },
    revoke: (token) => void live.delete(token),
  };
}
