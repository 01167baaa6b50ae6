import { type SandboxMerchant, sandboxMerchants } from "@malipo/contracts";
import { type Handler, answerWith } from "./http/answer.ts";
import { createCallbacks } from "./prompts/callback-sender.ts";
import {
  putFaults,
  resetFaults,
  type SettingsStore,
  showFaults,
} from "./control/settings-handlers.ts";
import { listPrompts } from "./control/list-prompts.ts";
import { listRequests, type RequestRecord } from "./control/list-requests.ts";
import { oauth } from "./endpoints/access-token.ts";
import { push } from "./endpoints/push.ts";
import { query } from "./endpoints/query.ts";
import { createTokens } from "./store/access-tokens.ts";
import { createPhones } from "./store/phones.ts";
import { followPhone, pressKey, showPhone } from "./phone/phone-handlers.ts";
import { createWatch, type PhoneWatch } from "./phone/phone-streams.ts";
import { type PromptRecord, promptRecord } from "./prompts/prompt.ts";
import { createPrompts } from "./prompts/prompts.ts";
import { createRing } from "./store/bounded-map.ts";
import { type Routes, serve } from "./http/server.ts";
import { changeSettings, type Settings, type SettingsInput, settingsSchema } from "./settings.ts";
import { createTimers } from "./timers.ts";
import type { World } from "./simulator-context.ts";

export interface SimulatorOptions {
  readonly host?: string;
  /** 0, unless given, takes a free one. */
  readonly port?: number;
  readonly merchants?: readonly SandboxMerchant[];
  readonly settings?: SettingsInput;
  /** Beside this machine, who may be called back by plain http. */
  readonly plainHttpHosts?: readonly string[];
  /** How many prompts, and how many requests, are kept to be looked at. */
  readonly keptMax?: number;
}

export interface Simulator {
  readonly url: string;
  /** What rang a phone, oldest first. */
  prompts(): PromptRecord[];
  /** What came in, oldest first, answered or not. */
  requests(): RequestRecord[];
  settings(): Settings;
  /** Takes over what is named and leaves the rest as it is. */
  change(settings: SettingsInput): void;
  close(): Promise<void>;
}

const keptMaxDefault = 20_000;

const now = (): Date => new Date();

export async function openSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { host = "127.0.0.1", port = 0, keptMax = keptMaxDefault } = options;
  const store = settingsStore(options.settings);
  const timers = createTimers();
  const phones = createPhones();
  const watch = createWatch(timers, now);
  const callbacks = createCallbacks(store.get, timers, now);
  const prompts = createPrompts({
    settings: store.get,
    timers,
    phones,
    callbacks,
    watch,
    now,
    promptsMax: keptMax,
  });
  const world: World = {
    merchants: options.merchants ?? Object.values(sandboxMerchants),
    plainHttpHosts: options.plainHttpHosts ?? [],
    settings: store.get,
    tokens: createTokens(now),
    phones,
    prompts,
    timers,
    now,
  };
  const requests = createRing<RequestRecord>(keptMax);
  let count = 0;
  const server = await serve(
    { host, port },
    {
      routes: routes(world, store, watch, requests.values),
      hangMs: () => store.get().timing.hangMs,
      now,
      onAnswered: (record) => requests.add(String((count += 1)), record),
    },
  );
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${server.port}`,
    prompts: () => prompts.all().map(promptRecord),
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

function settingsStore(given: SettingsInput = {}): SettingsStore {
  const initial = settingsSchema.parse(given);
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

function routes(
  world: World,
  store: SettingsStore,
  watch: PhoneWatch,
  requests: () => readonly RequestRecord[],
): Routes {
  return {
    "/oauth/v1/generate": { GET: oauth(world) },
    "/mpesa/stkpush/v1/processrequest": { POST: push(world) },
    "/mpesa/stkpushquery/v1/query": { POST: query(world) },
    "/phone": { GET: showPhone() },
    "/phone/events": { GET: followPhone(watch) },
    "/phone/press": { POST: pressKey(world.prompts) },
    "/faults": { GET: showFaults(store), PUT: putFaults(store), DELETE: resetFaults(store) },
    "/prompts": { GET: listPrompts(world.prompts) },
    "/requests": { GET: listRequests(requests) },
    "/livez": { GET: healthy },
    "/readyz": { GET: healthy },
  };
}

/** It listens once it is ready, and has nothing behind it that could be away. */
const healthy: Handler = () =>
  answerWith({ status: 200, type: "text/plain; charset=utf-8", body: "ready\n" });
