export { openSimulator, type Simulator, type SimulatorOptions } from "./simulator.ts";
export type { PromptRecord } from "./prompt.ts";
export type { RequestRecord } from "./control/requests.ts";
export type { Settings, SettingsInput } from "./settings.ts";
