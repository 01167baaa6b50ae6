import { readFileSync } from "node:fs";

/** Loaded into a process before its own code. Date then returns the time that a test wrote to a file. */
const file = process.env["FROZEN_CLOCK"] ?? "";
const readTime = (): number => Number(readFileSync(file, "utf8"));

const RealDate = Date;

class FrozenDate extends RealDate {
  constructor(...args: readonly unknown[]) {
    if (args.length === 0) super(readTime());
    else super(...(args as [number]));
  }

  static override now(): number {
    return readTime();
  }
}

globalThis.Date = FrozenDate as DateConstructor;
