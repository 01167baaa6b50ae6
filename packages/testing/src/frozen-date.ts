import { readFileSync } from "node:fs";

/** Loaded into a process before everything else: its clock is then what a test has written in a file. */
const file = process.env["FROZEN_CLOCK"] ?? "";
const read = (): number => Number(readFileSync(file, "utf8"));

const RealDate = Date;

class FrozenDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(read());
    else super(...(given as [number]));
  }

  static override now(): number {
    return read();
  }
}

globalThis.Date = FrozenDate as DateConstructor;
