import { cents } from "@malipo/core";
import { newId, openService, readConfig } from "@malipo/platform";
import {
  environmentOn,
  freshNamespace,
  createStreams,
  type SharedServers,
  settableClock,
} from "@malipo/testing";
import { ObjectId } from "mongodb";
import { onTestFinished } from "vitest";
import { paymentConfig } from "../src/config.ts";
import type { Deps } from "../src/deps.ts";
import { openDeps } from "../src/service.ts";
import { applyCallbacks } from "../src/workflows/apply-callbacks.ts";
import { createTransaction } from "../src/workflows/create-transaction.ts";
import { reconcileBatch } from "../src/jobs/reconcile-transactions.ts";
import { callbackAbout, type ReportedOutcome } from "./callback-about.ts";
import type { Transaction } from "../src/domain/transaction/transaction.ts";

export const businessid = "6743f1b2c9e8a45d3f0b7c22";
let lastPhone = 254_733_000_000;
export const nextPhone = () => String((lastPhone += 1));

/** Opens the stores and the provider of the service, without jobs and subjects, on a clock that the test sets. */
export async function openPayments(
  servers: SharedServers,
  mpesaUrl: string,
  env: Readonly<Record<string, string>> = {},
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
) {
  const clock = settableClock(new Date("2026-11-21T09:00:00Z"));
  const namespace = env["NAMESPACE"] ?? freshNamespace();
  await createStreams({ ...servers, namespace });
  const config = configOf({ ...servers, namespace }, { MPESA_BASE_URL: mpesaUrl, ...env });
  const service = await openService("payment", config, { clock: clock.now, random: Math.random });
  atEnd(() => service.shutdown.begin("the test is over"));
  const deps = await openDeps(service, config);

  const request = async (
    phone: string,
    operationid: string | undefined = newId(),
    of: string = businessid,
    using: Deps = deps,
  ) =>
    createTransaction(
      using,
      {
        businessid: of,
        cause: { now: clock.now(), operationid },
        deadline: new Date(clock.now().getTime() + 30_000),
      },
      { amount: cents(10_000), phone },
    );

  const read = async (id: string): Promise<Transaction> => {
    const found = await deps.transactions.get(id);
    if (!found) throw new Error(`no transaction ${id}`);
    return found.entity;
  };

  return {
    deps,
    clock,
    request,
    /** Applies a callback of M-Pesa about a prompt, as the stream delivers it. */
    report: async (id: string, outcome: ReportedOutcome): Promise<void> => {
      await applyCallbacks(deps)([callbackAbout(await read(id), outcome)]);
    },
    /** Sends a prompt that the provider accepts, and returns its transaction. */
    prompted: async (phone: string): Promise<string> => {
      const answer = await request(phone);
      if (!answer.ok) throw new Error(JSON.stringify(answer.error));
      return answer.value.transactionid;
    },
    read,
    eventsOf: async (id: string): Promise<string[]> => {
      const found = await deps.transactions.collection.findOne({ _id: new ObjectId(id) });
      return found?.events.map(({ type }) => type) ?? [];
    },
    /** Moves the clock, and runs the reconciliation job whenever a transaction is due. */
    pass: async (seconds: number): Promise<void> => {
      const until = clock.now().getTime() + seconds * 1_000;
      for (;;) {
        const [due] = await deps.transactions.findDue(new Date(until), 1);
        if (!due) break;
        clock.set(new Date(Math.max(clock.now().getTime(), due.nextquery.getTime())));
        await reconcileBatch(deps);
      }
      clock.set(new Date(until));
    },
  };
}

function configOf(servers: SharedServers, env: Readonly<Record<string, string>>) {
  return readConfig(paymentConfig, {
    ...environmentOn(servers),
    PUBLIC_URL: "http://127.0.0.1:9",
    CALLBACK_URL: "http://127.0.0.1:9",
    CALLBACK_KEY: "a-key-for-the-callbacks-of-a-test",
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    ...env,
  });
}
