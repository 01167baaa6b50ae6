import { expect, it } from "vitest";
import { restart, useProduction } from "./production.ts";
import { sellMeanwhile } from "./sell-meanwhile.ts";

const production = await useProduction();
const rounds = 5;

it(`fails nobody while every replica is restarted in turn, ${rounds} times over`, async () => {
  const { business } = production;
  const { result, sales, problems } = await sellMeanwhile(business, async () => {
    const ends: string[] = [];
    for (let round = 0; round < rounds; round += 1) ends.push(...(await restart(production, 2)));
    return ends;
  });
  expect(problems).toEqual([]);
  expect(new Set(result)).toEqual(new Set(["exit code 0"]));
  expect(sales.length).toBeGreaterThan(rounds);
  await business.settles(sales);
});
