import type { SettingsView } from "@malipo/contracts";
import { type Cents, cents, centsToShillings } from "@malipo/core";

export interface Settings {
  readonly displayname: string;
  readonly feepercent: number;
  readonly feefixed: Cents;
  readonly duedays: number;
  readonly duedaysweekly: number;
  readonly partpayment: boolean;
}

export type SettingsChange = {
  readonly [Name in keyof Settings]?: Settings[Name] | undefined;
};

export function newSettings(displayname: string): Settings {
  return {
    displayname,
    feepercent: 0,
    feefixed: cents(0),
    duedays: 7,
    duedaysweekly: 3,
    partpayment: true,
  };
}

/** Fields that the change does not contain keep their values. */
export function changeSettings(settings: Settings, change: SettingsChange): Settings {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return { ...settings, ...Object.fromEntries(given) };
}

export function viewSettings(settings: Settings): SettingsView {
  return { ...settings, feefixed: centsToShillings(settings.feefixed) };
}
