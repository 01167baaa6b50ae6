import { type Clock, err, ok, type Result, secondMs } from "@malipo/core";
import type {
  AccountTest,
  PromptAnswer,
  Provider,
  ProviderAccount,
  StatusAnswer,
} from "../provider.ts";
import type { Exchange, Http } from "./http.ts";
import { fieldOf, readJson, textOf } from "./json.ts";
import type { FetchToken, FreshToken, TokenProblem, Tokens } from "./tokens.ts";
import {
  promptBody,
  readAccountTest,
  readPromptAnswer,
  readStatusAnswer,
  statusBody,
  wantsNewToken,
} from "./translate.ts";

const tokenPatienceMs = 8 * secondMs;
const queryPatienceMs = 10 * secondMs;
/** What a token lives if the provider does not say. */
const usualTokenSeconds = 3_599;

const nobodysPrompt = "ws_CO_01012000000000000254700000";

interface DarajaOptions {
  readonly baseUrl: string;
  readonly http: Http;
  readonly tokens: Tokens;
  readonly clock: Clock;
}

/** Live and sandbox differ by their address only. */
export function openDaraja({ baseUrl, http, tokens, clock }: DarajaOptions): Provider {
  /** Once more with a fresh token where that was the trouble: such an answer means nothing was done. */
  async function post(
    account: ProviderAccount,
    path: string,
    makeBody: () => unknown,
    giveUpAt: number,
  ): Promise<Exchange | TokenProblem> {
    let refused: string | undefined;
    for (;;) {
      const got = await tokens.get(account, refused).catch((error: unknown) =>
        // Whatever went wrong there, the provider was not asked for anything yet.
        err({ kind: "not sent" as const, details: `no token: ${String(error)}` }),
      );
      if (!got.ok) return got.error;
      const patienceMs = giveUpAt - performance.now();
      if (patienceMs <= 0) return { kind: "not sent", details: "no time left" };
      const exchange = await http.send({
        method: "POST",
        url: baseUrl + path,
        headers: { authorization: `Bearer ${got.value}`, "content-type": "application/json" },
        body: JSON.stringify(makeBody()),
        patienceMs,
      });
      if (exchange.kind !== "answered" || !wantsNewToken(exchange) || refused !== undefined) {
        return exchange;
      }
      refused = got.value;
    }
  }

  return {
    async prompt(account, prompt, patienceMs): Promise<PromptAnswer> {
      const body = () => promptBody(account, prompt, clock());
      const path = "/mpesa/stkpush/v1/processrequest";
      const exchange = await post(account, path, body, performance.now() + patienceMs);
      switch (exchange.kind) {
        case "answered":
          return readPromptAnswer(exchange);
        case "refused":
          return { ...exchange, code: "credentials" };
        case "not sent":
          return exchange;
        default:
          return { kind: "unknown", details: exchange.details };
      }
    },

    async status(account, checkoutrequestid): Promise<StatusAnswer> {
      const body = () => statusBody(account, checkoutrequestid, clock());
      const path = "/mpesa/stkpushquery/v1/query";
      const exchange = await post(account, path, body, performance.now() + queryPatienceMs);
      if (exchange.kind === "answered") return readStatusAnswer(exchange);
      return { kind: "unanswered", details: exchange.details };
    },

    /** Asks for a prompt that nobody made: who is refused for its id only has the right credentials. */
    async test(account): Promise<AccountTest> {
      const body = () => statusBody(account, nobodysPrompt, clock());
      const path = "/mpesa/stkpushquery/v1/query";
      const exchange = await post(account, path, body, performance.now() + queryPatienceMs);
      if (exchange.kind === "refused") return exchange;
      if (exchange.kind === "answered") return readAccountTest(exchange);
      return { kind: "unanswered", details: exchange.details };
    },
  };
}

export function tokenFetcher(baseUrl: string, http: Http): FetchToken {
  return async ({ consumerkey, consumersecret }) => {
    const basic = Buffer.from(`${consumerkey}:${consumersecret}`).toString("base64");
    const exchange = await http.send({
      method: "GET",
      url: `${baseUrl}/oauth/v1/generate?grant_type=client_credentials`,
      headers: { authorization: `Basic ${basic}` },
      patienceMs: tokenPatienceMs,
    });
    if (exchange.kind !== "answered") {
      return err({ kind: "not sent", details: exchange.details });
    }
    return readToken(exchange.status, readJson(exchange.text));
  };
}

/** Seconds come as a number or as a string. */
export function readToken(status: number, body: unknown): Result<FreshToken, TokenProblem> {
  const token = textOf(fieldOf(body, "access_token"));
  if (status === 200 && token !== "") {
    const seconds = Number(textOf(fieldOf(body, "expires_in")) || usualTokenSeconds);
    const lifetimeMs = (Number.isFinite(seconds) ? seconds : usualTokenSeconds) * secondMs;
    return ok({ token, lifetimeMs });
  }
  const isRefused = status === 400 || status === 401;
  const details = isRefused
    ? "the consumer key or secret is not right"
    : `no token: status ${status}`;
  return err({ kind: isRefused ? "refused" : "not sent", details });
}
