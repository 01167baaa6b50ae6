import { describe, expect, it } from "vitest";
import { createPrinter, notePaging } from "./printer.ts";

function createTestPrinter(asJson: boolean, isTerminal = false) {
  const texts = { out: "", err: "" };
  let now = 0;
  const output = {
    out: (text: string) => void (texts.out += text),
    err: (text: string) => void (texts.err += text),
    isTerminal,
  };
  const printer = createPrinter(output, asJson, () => new Date(now));
  return { texts, printer, advance: (ms: number) => void (now += ms) };
}

const columns = [{ heading: "ID", cell: ({ _id }: { _id: string }) => _id }];

it("the printer writes sentences, records and tables to stdout for people", () => {
  const { printer, texts } = createTestPrinter(false);
  printer.record({ _id: "1" }, ["Created."]);
  printer.list([{ _id: "2" }], columns);
  printer.list([], columns, "None.");
  notePaging(printer, { page: 1, pages: 3, total: 25, limit: 10 });
  expect(texts).toEqual({
    out: "Created.\n_id  1\nID\n2\nNone.\nPage 1 of 3, 25 in all. Go on with --page.\n",
    err: "",
  });
});

it("the printer writes only records to stdout and remarks to stderr for scripts", () => {
  const { printer, texts } = createTestPrinter(true);
  printer.list([{ _id: "2" }], columns);
  notePaging(printer, { page: 1, pages: 3, total: 25, limit: 10 });
  notePaging(printer, { page: 1, pages: 1, total: 1, limit: 10 });
  expect(JSON.parse(texts.out)).toEqual([{ _id: "2" }]);
  expect(texts.err).toBe("Page 1 of 3, 25 in all. Go on with --page.\n");
});

describe("the progress line", () => {
  it("is rewritten in place on a terminal and erased at the end", () => {
    const { printer, texts } = createTestPrinter(false, true);
    printer.progress("1 sent");
    printer.progress("2 sent");
    printer.endProgress();
    printer.endProgress();
    expect(texts.err).toBe("\r1 sent\u001B[K\r2 sent\u001B[K\r\u001B[K");
  });

  it("is written at most once a second when stderr is not a terminal", () => {
    const { printer, texts, advance } = createTestPrinter(false);
    printer.progress("1 sent");
    printer.progress("2 sent");
    advance(1_000);
    printer.progress("3 sent");
    printer.endProgress();
    expect(texts.err).toBe("1 sent\n3 sent\n");
  });
});
