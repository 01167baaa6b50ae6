import type { SandboxMerchant } from "@malipo/contracts";
import type { Tokens } from "./store/access-tokens.ts";
import type { Phones } from "./store/phones.ts";
import type { Prompts } from "./prompts/prompts.ts";
import type { Settings } from "./settings.ts";
import type { Timers } from "./timers.ts";

/** Everything one simulator holds. */
export interface World {
  readonly merchants: readonly SandboxMerchant[];
  /** Beside this machine, who may be called back by plain http. */
  readonly plainHttpHosts: readonly string[];
  readonly settings: () => Settings;
  readonly tokens: Tokens;
  readonly phones: Phones;
  readonly prompts: Prompts;
  readonly timers: Timers;
  readonly now: () => Date;
}
