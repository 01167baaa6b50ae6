import { type SandboxMerchant, sandboxMerchants } from "@malipo/contracts";
import { loopbackNames } from "@malipo/core";
import { listPrompts } from "./control/list-prompts.ts";
import { listRequests } from "./control/list-requests.ts";
import {
  changeFaults,
  resetFaults,
  type SettingsStore,
  showFaults,
} from "./control/settings-handlers.ts";
import { buildReply } from "./daraja/replies.ts";
import { issueAccessToken } from "./endpoints/access-token.ts";
import { requestPush } from "./endpoints/push.ts";
import { queryStatus } from "./endpoints/query.ts";
import { answerWith, type Handler } from "./http/answer.ts";
import { type RequestRecord, type Routes, serve } from "./http/server.ts";
import { followPhone, pressKey, showPhone } from "./phone/phone-handlers.ts";
import { createPhoneStreams, type PhoneStreams } from "./phone/phone-streams.ts";
import { createCallbackSender } from "./prompts/callback-sender.ts";
import { type PromptRecord, recordPrompt } from "./prompts/prompt.ts";
import { createPrompts } from "./prompts/prompts.ts";
import { changeSettings, type Settings, type SettingsInput, settingsSchema } from "./settings.ts";
import type { SimulatorContext } from "./simulator-context.ts";
import { createAccessTokens } from "./store/access-tokens.ts";
import { createBoundedMap } from "./store/bounded-map.ts";
import { createPhones } from "./store/phones.ts";
import { createTimers } from "./timers.ts";

export interface SimulatorOptions {
  readonly host?: string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  readonly merchants?: readonly SandboxMerchant[];
  readonly settings?: SettingsInput;
  /** Hosts whose callback addresses may use plain http, besides loopback. */
  readonly plainHttpHosts?: readonly string[];
  /** Host names under which clients reach the simulator, besides those of loopback. */
  readonly knownHosts?: readonly string[];
  /** The number of prompts, and of requests, that are kept for inspection. */
  readonly keptMax?: number;
}

export interface Simulator {
  readonly url: string;
  /** Every prompt that reached a phone, oldest first. */
  prompts(): PromptRecord[];
  /** Every request received, with or without a response, oldest first. */
  requests(): RequestRecord[];
  settings(): Settings;
  /** Changes the named settings and keeps the others. */
  change(settings: SettingsInput): void;
  close(): Promise<void>;
}

const keptMaxDefault = 20_000;

const now = (): Date => new Date();

export async function openSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { host = "127.0.0.1", port = 0, keptMax = keptMaxDefault } = options;
  const store = createSettingsStore(options.settings);
  const timers = createTimers();
  const phones = createPhones();
  const streams = createPhoneStreams(timers, now);
  const prompts = createPrompts({
    settings: store.get,
    timers,
    phones,
    callbacks: createCallbackSender({ settings: store.get, timers, now }),
    screens: streams,
    now,
    promptsMax: keptMax,
  });
  const context: SimulatorContext = {
    merchants: options.merchants ?? Object.values(sandboxMerchants),
    plainHttpHosts: options.plainHttpHosts ?? [],
    settings: store.get,
    tokens: createAccessTokens(now),
    phones,
    prompts,
    timers,
    now,
  };
  const requests = createBoundedMap<RequestRecord>(keptMax);
  let requestCount = 0;
  const server = await serve(
    { host, port },
    {
      routes: createRoutes(context, store, streams, requests.values),
      hostNames: [...loopbackNames, ...(options.knownHosts ?? [])],
      buildError: buildReply,
      hangMs: () => store.get().timing.hangMs,
      now,
      recordRequest: (record) => requests.set(String((requestCount += 1)), record),
    },
  );
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${server.port}`,
    prompts: () => prompts.all().map(recordPrompt),
    requests: requests.values,
    settings: store.get,
    change: (settings) => {
      const changed = changeSettings(store.get(), settings);
      if (!changed.success) throw changed.error;
      store.set(changed.data);
    },
    close: async () => {
      timers.stop();
      await server.close();
    },
  };
}

function createSettingsStore(input: SettingsInput = {}): SettingsStore {
  const initial = settingsSchema.parse(input);
  let current = initial;
  return {
    get: () => current,
    set: (settings) => {
      current = settings;
    },
    reset: () => {
      current = initial;
    },
  };
}

function createRoutes(
  context: SimulatorContext,
  store: SettingsStore,
  streams: PhoneStreams,
  requests: () => readonly RequestRecord[],
): Routes {
  return {
    "/oauth/v1/generate": { GET: issueAccessToken(context) },
    "/mpesa/stkpush/v1/processrequest": { POST: requestPush(context) },
    "/mpesa/stkpushquery/v1/query": { POST: queryStatus(context) },
    "/phone": { GET: showPhone() },
    "/phone/events": { GET: followPhone(streams) },
    "/phone/press": { POST: pressKey(context.prompts) },
    "/faults": { GET: showFaults(store), PUT: changeFaults(store), DELETE: resetFaults(store) },
    "/prompts": { GET: listPrompts(context.prompts) },
    "/requests": { GET: listRequests(requests) },
    "/livez": { GET: reportHealthy },
    "/readyz": { GET: reportHealthy },
  };
}

/** The simulator depends on no other server, so it is ready as soon as it listens. */
const reportHealthy: Handler = () =>
  answerWith({ status: 200, type: "text/plain; charset=utf-8", body: "ready\n" });
