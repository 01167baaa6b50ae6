import type { Paging } from "@malipo/contracts";
import {
  buildDetails,
  buildStreamLine,
  buildTable,
  type Column,
  type StreamCell,
} from "./table.ts";

/** The output streams. Tests read them instead of a terminal. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
  /** Whether stderr is a terminal. */
  readonly isTerminal: boolean;
}

/** Prints for people, or for scripts with `--json`: then stdout gets records and nothing else. */
export interface Printer {
  /** People see `sentences` and the fields of `shown`; scripts see the record. */
  record(record: object, sentences?: readonly string[], shown?: object): void;
  list<Row>(rows: readonly Row[], columns: readonly Column<Row>[], emptyText?: string): void;
  /** Prints one line of an endless list: JSON, or cells aligned with those of the previous line. */
  streamRecord(record: object, cells: readonly StreamCell[]): void;
  /** Prints a remark that is not a record, for example that there are more pages. */
  note(sentence: string): void;
  progress(sentence: string): void;
  endProgress(): void;
}

/** The shortest time between two progress lines when stderr is not a terminal. */
const progressIntervalMs = 1_000;

export function createPrinter(output: Output, asJson: boolean, clock: () => Date): Printer {
  let progressAtMs = Number.NEGATIVE_INFINITY;
  let isLineOpen = false;

  const lines = (texts: readonly string[]) => output.out(texts.map((text) => `${text}\n`).join(""));
  const json = (value: unknown) => output.out(`${JSON.stringify(value, null, 2)}\n`);

  return {
    record: (record, sentences = [], shown = record) => {
      if (asJson) json(record);
      else lines([...sentences, ...buildDetails(shown)]);
    },
    list: (rows, columns, emptyText = "Nothing.") => {
      if (asJson) json(rows);
      else lines(rows.length === 0 ? [emptyText] : buildTable(columns, rows));
    },
    streamRecord: (record, cells) => {
      output.out(`${asJson ? JSON.stringify(record) : buildStreamLine(cells)}\n`);
    },
    note: (sentence) => {
      if (asJson) output.err(`${sentence}\n`);
      else output.out(`${sentence}\n`);
    },
    progress: (sentence) => {
      if (output.isTerminal) {
        // Return to the start of the line and erase what follows.
        output.err(`\r${sentence}\u001B[K`);
        isLineOpen = true;
        return;
      }
      const now = clock().getTime();
      if (now - progressAtMs < progressIntervalMs) return;
      progressAtMs = now;
      output.err(`${sentence}\n`);
    },
    endProgress: () => {
      if (isLineOpen) output.err("\r\u001B[K");
      isLineOpen = false;
      progressAtMs = Number.NEGATIVE_INFINITY;
    },
  };
}

export function notePaging(printer: Printer, { page, pages, total }: Paging): void {
  if (pages > 1) printer.note(`Page ${page} of ${pages}, ${total} in all. Go on with --page.`);
}
