import type { Environment, Scope } from "../expression/index.ts";
import type { Document } from "../values/document.ts";
import { HeldMemory } from "./held-memory.ts";

/** Documents in, documents out; lazy where the stage allows it. */
export type Stage = (documents: Iterable<Document>) => Iterable<Document>;

/** Reads another collection of the same database, through an index where one fits the filter. */
export type ReadCollection = (collection: string, filter: Document) => Iterable<Document>;

/** What stages are compiled in. */
export type StageContext = {
  readonly scope: Scope;
  readonly now: Date;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly read: ReadCollection;
  /** Throws when the command has worked for too long. */
  readonly checkTime?: (() => void) | undefined;
  /** Compiles a pipeline inside a stage, with more variables. */
  readonly subPipeline: (
    stages: readonly unknown[],
    variables: Readonly<Record<string, unknown>>,
  ) => Stage;
};

export type CompileStage = (operand: unknown, context: StageContext) => Stage;

export function environmentOf(root: Document, context: StageContext): Environment {
  const { now, variables, checkTime } = context;
  checkTime?.();
  return { root, now, variables, checkTime };
}

/** All documents of a stage that must see them all. */
export function holdAll(name: string, documents: Iterable<Document>): Document[] {
  const memory = new HeldMemory(name);
  const held: Document[] = [];
  for (const document of documents) {
    memory.hold(document);
    held.push(document);
  }
  return held;
}
