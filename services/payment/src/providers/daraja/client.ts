import { addMs, type Clock, err, ok, type Result, secondMs } from "@malipo/core";
import type { ProviderAccount } from "../../domain/payment-method.ts";
import type { Provider } from "../provider.ts";
import { fieldOf, readJson, textOf } from "./answer-body.ts";
import type { Exchange, Http } from "./http.ts";
import type { FetchToken, FreshToken, TokenProblem, Tokens } from "./tokens.ts";
import {
  checkPasskey,
  needsNewToken,
  promptBody,
  readAccountTest,
  readCallback,
  readPromptAnswer,
  readStatusAnswer,
  statusBody,
} from "./translate.ts";

const tokenTimeoutMs = 8 * secondMs;
const queryTimeoutMs = 10 * secondMs;
/** A token's lifetime when Daraja does not say it. */
const defaultTokenSeconds = 3_599;

const promptPath = "/mpesa/stkpush/v1/processrequest";
const queryPath = "/mpesa/stkpushquery/v1/query";
const unknownCheckoutRequestId = "ws_CO_01012000000000000254700000";

interface DarajaOptions {
  readonly baseUrl: string;
  readonly http: Http;
  readonly tokens: Tokens;
  readonly clock: Clock;
}

interface DarajaCall {
  readonly path: string;
  /** Called for each try, because the body is signed with the time. */
  readonly body: () => unknown;
  readonly timeoutMs: number;
}

/** The adapter to Safaricom's Daraja. Live and sandbox differ only in their address. */
export function openDaraja({ baseUrl, http, tokens, clock }: DarajaOptions): Provider {
  /** Tries once more with a new token when Daraja refused the token: then it did nothing yet. */
  async function post(
    account: ProviderAccount,
    { path, body, timeoutMs }: DarajaCall,
  ): Promise<Exchange | TokenProblem> {
    const deadline = addMs(clock(), timeoutMs);
    let refusedToken: string | undefined;
    for (;;) {
      // A failure here is certain: Daraja was not asked for anything yet.
      const token = await tokens
        .get(account, refusedToken)
        .catch((error: unknown) =>
          err({ kind: "not sent" as const, details: `no token: ${String(error)}` }),
        );
      if (!token.ok) return token.error;
      // Checked by the clock: after a pause of this process, a timer may not have fired yet.
      const leftMs = deadline.getTime() - clock().getTime();
      if (leftMs <= 0) return { kind: "not sent", details: "no time left" };
      const exchange = await http.send({
        method: "POST",
        url: baseUrl + path,
        headers: { authorization: `Bearer ${token.value}`, "content-type": "application/json" },
        body: JSON.stringify(body()),
        timeoutMs: Math.min(leftMs, timeoutMs), // the clock may have been set back
      });
      const mustRetry =
        exchange.kind === "answered" && needsNewToken(exchange) && refusedToken === undefined;
      if (!mustRetry) return exchange;
      refusedToken = token.value;
    }
  }

  const query = async (account: ProviderAccount, checkoutrequestid: string) =>
    post(account, {
      path: queryPath,
      body: () => statusBody(account, checkoutrequestid, clock()),
      timeoutMs: queryTimeoutMs,
    });

  return {
    async prompt(account, prompt, timeoutMs) {
      const body = () => promptBody(account, prompt, clock());
      const exchange = await post(account, { path: promptPath, body, timeoutMs });
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
    async status(account, checkoutrequestid) {
      const exchange = await query(account, checkoutrequestid);
      if (exchange.kind === "answered") return readStatusAnswer(exchange);
      return { kind: "unanswered", details: exchange.details };
    },
    async test(account) {
      const exchange = await query(account, unknownCheckoutRequestId);
      if (exchange.kind === "refused") return exchange;
      if (exchange.kind === "answered") return readAccountTest(exchange);
      return { kind: "unanswered", details: exchange.details };
    },
    checkAccount: checkPasskey,
    readCallback,
  };
}

export function tokenFetcher(baseUrl: string, http: Http): FetchToken {
  return async ({ consumerkey, consumersecret }) => {
    const basic = Buffer.from(`${consumerkey}:${consumersecret}`).toString("base64");
    const exchange = await http.send({
      method: "GET",
      url: `${baseUrl}/oauth/v1/generate?grant_type=client_credentials`,
      headers: { authorization: `Basic ${basic}` },
      timeoutMs: tokenTimeoutMs,
    });
    if (exchange.kind !== "answered") {
      return err({ kind: "not sent", details: exchange.details });
    }
    return readToken(exchange.status, readJson(exchange.text));
  };
}

/** Daraja sends the lifetime in seconds, as a number or as a string. */
export function readToken(status: number, body: unknown): Result<FreshToken, TokenProblem> {
  const token = textOf(fieldOf(body, "access_token"));
  if (status === 200 && token !== "") {
    const seconds = Number(textOf(fieldOf(body, "expires_in")) || defaultTokenSeconds);
    const lifetimeMs = (Number.isFinite(seconds) ? seconds : defaultTokenSeconds) * secondMs;
    return ok({ token, lifetimeMs });
  }
  const isRefused = status === 400 || status === 401;
  const details = isRefused
    ? "the consumer key or secret is not right"
    : `no token: status ${status}`;
  return err({ kind: isRefused ? "refused" : "not sent", details });
}
