import { cpuPerOperationDuring, type Part } from "../cpu.ts";
import type { Run } from "../path.ts";
import type { Contender } from "../rounds.ts";
import { runWrk } from "./wrk.ts";

export type Target = {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly parts: readonly Part[];
};

export function contenderFor(
  run: Run,
  name: string,
  { url, headers = {}, parts }: Target,
): Contender {
  const { processes, connections } = run;
  return {
    name,
    measure: (seconds) =>
      cpuPerOperationDuring(parts, () => runWrk(processes, { url, headers, connections, seconds })),
  };
}
