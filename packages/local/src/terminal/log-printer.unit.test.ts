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

test("only problems are shown, with the program's name", () => {
  const { lines, show } = terminal(false);
  show("invoice", '{"level":"info","msg":"started"}');
  show("invoice", problem);
  expect(lines).toEqual(["invoice: refused"]);
});

test("every line is shown when asked for", () => {
  const { lines, show } = terminal(true);
  show("invoice", '{"level":"info","msg":"started"}');
  expect(lines).toEqual(['invoice: {"level":"info","msg":"started"}']);
});

test("a flood is cut, for that program and that stretch of time alone", () => {
  const { lines, show, wait } = terminal(false);
  for (let count = 0; count < 1000; count += 1) show("invoice", problem);
  expect(lines).toHaveLength(21);
  show("gateway", problem);
  expect(lines).toHaveLength(22);
  wait(10_000);
  show("invoice", problem);
  expect(lines).toHaveLength(23);
});
