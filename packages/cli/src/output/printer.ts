import type { Paging } from "@malipo/contracts";
import { type Column, details, type LiveCell, liveLine, table } from "./table.ts";

/** Where text goes; a test reads it instead of a terminal. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
  /** Whether somebody watches stderr. */
  readonly isTerminal: boolean;
}

/** With `--json` only records reach stdout; without it, what people read. */
export interface Print {
  /** `shown` stands for the record where people read it. */
  record(record: object, sentences?: readonly string[], shown?: object): void;
  list<Row>(rows: readonly Row[], columns: readonly Column<Row>[], ifNone?: string): void;
  /** One of a list that has no end: a line of JSON, or cells beneath those of the line before. */
  live(record: object, cells: readonly LiveCell[]): void;
  /** A word beside the records: more pages, for instance. */
  note(sentence: string): void;
  progress(sentence: string): void;
  endProgress(): void;
}

const progressEveryMs = 1_000;

export function createPrint(output: Output, asJson: boolean, clock: () => Date): Print {
  let shownAt = Number.NEGATIVE_INFINITY;
  let isLineOpen = false;

  const lines = (texts: readonly string[]) => output.out(texts.map((text) => `${text}\n`).join(""));
  const json = (value: unknown) => output.out(`${JSON.stringify(value, null, 2)}\n`);

  return {
    record: (record, sentences = [], shown = record) => {
      if (asJson) json(record);
      else lines([...sentences, ...details(shown)]);
    },
    list: (rows, columns, ifNone = "Nothing.") => {
      if (asJson) json(rows);
      else lines(rows.length === 0 ? [ifNone] : table(columns, rows));
    },
    live: (record, cells) => {
      output.out(`${asJson ? JSON.stringify(record) : liveLine(cells)}\n`);
    },
    note: (sentence) => {
      if (asJson) output.err(`${sentence}\n`);
      else output.out(`${sentence}\n`);
    },
    progress: (sentence) => {
      if (output.isTerminal) {
        // Back to the line's beginning, and what stood there wiped away.
        output.err(`\r${sentence}\u001B[K`);
        isLineOpen = true;
        return;
      }
      const now = clock().getTime();
      if (now - shownAt < progressEveryMs) return;
      shownAt = now;
      output.err(`${sentence}\n`);
    },
    endProgress: () => {
      if (isLineOpen) output.err("\r\u001B[K");
      isLineOpen = false;
      shownAt = Number.NEGATIVE_INFINITY;
    },
  };
}

export function notePaging(print: Print, { page, pages, total }: Paging): void {
  if (pages > 1) print.note(`Page ${page} of ${pages}, ${total} in all. Go on with --page.`);
}
