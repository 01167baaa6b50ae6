import type { Environment } from "../folder/environment.ts";

export function formatWelcome(environment: Environment, folder: string, tookMs: number): string {
  const { apiurl, operatorurl, simulatorurl, secret } = environment;
  return [
    "",
    `Malipo is ready (${(tookMs / 1000).toFixed(1)} s).`,
    "",
    `  API            ${apiurl}`,
    `  Operator API   ${operatorurl}`,
    `  A test phone   ${simulatorurl}/phone`,
    `  Data and logs  ${folder}`,
    "",
    "Try it:",
    "",
    `  curl -H 'Authorization: ${secret}' ${apiurl}/business/product/list`,
    "",
    "Ctrl-C stops everything and keeps the data; npm start -- --fresh deletes it first.",
    "",
    "",
  ].join("\n");
}
