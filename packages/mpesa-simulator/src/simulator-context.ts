import type { SandboxMerchant } from "@malipo/contracts";
import type { Prompts } from "./prompts/prompts.ts";
import type { Settings } from "./settings.ts";
import type { AccessTokens } from "./store/access-tokens.ts";
import type { Phones } from "./store/phones.ts";
import type { Timers } from "./timers.ts";

/** The state and settings that the endpoints of one simulator share. */
export interface SimulatorContext {
  readonly merchants: readonly SandboxMerchant[];
  /** Hosts whose callback addresses may use plain http, besides loopback. */
  readonly plainHttpHosts: readonly string[];
  readonly settings: () => Settings;
  readonly tokens: AccessTokens;
  readonly phones: Phones;
  readonly prompts: Prompts;
  readonly timers: Timers;
  readonly now: () => Date;
}
