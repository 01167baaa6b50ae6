import { expect, test } from "vitest";
import { createLogPrinter } from "./log-printer.ts";

const problem = '{"level":"error","msg":"refused"}';

function terminal(verbose: boolean) {
  const lines: string[] = [];
  let now = 0;
  const show = createLogPrinter(
    verbose,
    (line) => lines.push(line),
    () => now,
  );
  return { lines, show, wait: (ms: number) => (now += ms) };
}

test("the log printer prints only problems, with the program's name", () => {
  const { lines, show } = terminal(false);
  show("invoice", '{"level":"info","msg":"started"}');
  show("invoice", problem);
  expect(lines).toEqual(["invoice: refused"]);
});

test("the log printer prints every line when verbose", () => {
  const { lines, show } = terminal(true);
  show("invoice", '{"level":"info","msg":"started"}');
  expect(lines).toEqual(['invoice: {"level":"info","msg":"started"}']);
});

test("the log printer prints at most 20 problems of one program in 10 s", () => {
  const { lines, show, wait } = terminal(false);
  for (let count = 0; count < 1000; count += 1) show("invoice", problem);
  expect(lines).toHaveLength(21);
  show("gateway", problem);
  expect(lines).toHaveLength(22);
  wait(10_000);
  show("invoice", problem);
  expect(lines).toHaveLength(23);
});
