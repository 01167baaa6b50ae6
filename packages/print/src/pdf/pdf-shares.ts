import type { Fault, Result } from "@malipo/core";

/** Decides when a PDF is drawn. A service passes in a fair queue of the platform. */
export interface PdfQueue<Turn> {
  run<Value>(turn: Turn, work: () => Promise<Result<Value, Fault>>): Promise<Result<Value, Fault>>;
}

/**
 * The limits of a process's queue of PDFs. Two are drawn at once and one of them for one business,
 * so that a business never waits for another's to be done. A long invoice takes 0.2 s, and the last
 * one in a full queue of a business still arrives before its caller gives up.
 */
export const pdfShares = {
  running: 2,
  runningPerKey: 1,
  waiting: 96,
  waitingPerKey: 20,
} as const;
