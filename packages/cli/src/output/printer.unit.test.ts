import { describe, expect, it } from "vitest";
import { createPrint, notePaging } from "./printer.ts";

function printed(asJson: boolean, isTerminal = false) {
  const texts = { out: "", err: "" };
  let now = 0;
  const output = {
    out: (text: string) => void (texts.out += text),
    err: (text: string) => void (texts.err += text),
    isTerminal,
  };
  const print = createPrint(output, asJson, () => new Date(now));
  return { texts, print, later: (ms: number) => void (now += ms) };
}

const columns = [{ heading: "ID", cell: ({ _id }: { _id: string }) => _id }];

it("prints for people: sentences, then what they are about", () => {
  const { print, texts } = printed(false);
  print.record({ _id: "1" }, ["Created."]);
  print.list([{ _id: "2" }], columns);
  print.list([], columns, "None.");
  notePaging(print, { page: 1, pages: 3, total: 25, limit: 10 });
  expect(texts).toEqual({
    out: "Created.\n_id  1\nID\n2\nNone.\nPage 1 of 3, 25 in all. Go on with --page.\n",
    err: "",
  });
});

it("prints for scripts: the records alone, all else to stderr", () => {
  const { print, texts } = printed(true);
  print.list([{ _id: "2" }], columns);
  notePaging(print, { page: 1, pages: 3, total: 25, limit: 10 });
  notePaging(print, { page: 1, pages: 1, total: 1, limit: 10 });
  expect(JSON.parse(texts.out)).toEqual([{ _id: "2" }]);
  expect(texts.err).toBe("Page 1 of 3, 25 in all. Go on with --page.\n");
});

describe("progress", () => {
  it("rewrites its line on a terminal and leaves none behind", () => {
    const { print, texts } = printed(false, true);
    print.progress("1 sent");
    print.progress("2 sent");
    print.endProgress();
    print.endProgress();
    expect(texts.err).toBe("\r1 sent\u001B[K\r2 sent\u001B[K\r\u001B[K");
  });

  it("is a line a second elsewhere", () => {
    const { print, texts, later } = printed(false);
    print.progress("1 sent");
    print.progress("2 sent");
    later(1_000);
    print.progress("3 sent");
    print.endProgress();
    expect(texts.err).toBe("1 sent\n3 sent\n");
  });
});
