import { expect, it } from "vitest";
import { restartReplicas, useProduction } from "./production.ts";
import { sellMeanwhile } from "./sell-meanwhile.ts";

const production = await useProduction();
const rounds = 5;

it(`the system fails no request when every replica is restarted in turn, ${rounds} times`, async () => {
  const { business } = production;
  const { result, sales, problems } = await sellMeanwhile(business, async () => {
    const exits: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      exits.push(...(await restartReplicas(production, 2)));
    }
    return exits;
  });
  expect(problems).toEqual([]);
  expect(new Set(result)).toEqual(new Set(["exit code 0"]));
  expect(sales.length).toBeGreaterThan(rounds);
  await business.expectSettled(sales);
});
