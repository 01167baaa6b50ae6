export { openSimulator, type Simulator, type SimulatorOptions } from "./simulator.ts";
export type { RequestRecord } from "./http/server.ts";
export type { PromptRecord } from "./prompts/prompt.ts";
export type { Settings, SettingsInput } from "./settings.ts";
