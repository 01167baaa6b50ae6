import {
  type ApiAnswer,
  call,
  eventually,
  type TestSystem,
  type UsedSystem,
} from "@malipo/testing";
import { expect } from "vitest";
import { fromRandomAddress } from "./addresses.ts";

/** Within this time all gateways know a change that was made at one of them. */
export const propagationMs = 1_000;

export function bothGateways(system: UsedSystem): readonly TestSystem[] {
  return [system.gateway(0), system.gateway(1)];
}

export async function getSettings(secret: string, { apiUrl }: TestSystem): Promise<ApiAnswer> {
  return call(`${apiUrl}/business/settings`, "GET", secret, undefined, fromRandomAddress());
}

/** Waits until both gateways answer with the status. They evict cached principals in that time. */
export async function expectAtBothGateways(
  system: UsedSystem,
  secret: string,
  status: number,
): Promise<void> {
  await eventually(async () => {
    const answers = await Promise.all(
      bothGateways(system).map(async (gateway) => getSettings(secret, gateway)),
    );
    expect(answers.map((answer) => answer.status)).toEqual([status, status]);
  }, propagationMs);
}

export function listIn(answer: ApiAnswer): Record<string, unknown>[] {
  return answer.body["data"] as Record<string, unknown>[];
}
