import type { Environment, Scope } from "../expression/index.ts";
import type { Document } from "../values/document.ts";
import { StageMemory } from "./stage-memory.ts";

/** Maps documents to documents, lazily if the stage allows it. */
export type Stage = (documents: Iterable<Document>) => Iterable<Document>;

/** Reads another collection of the same database, with an index if one fits the filter. */
export type ReadCollection = (collection: string, filter: Document) => Iterable<Document>;

/** The context in which stages are compiled. */
export type StageContext = {
  readonly scope: Scope;
  readonly now: Date;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly read: ReadCollection;
  /** Throws if the command has exceeded its time limit. */
  readonly checkTime?: (() => void) | undefined;
  /** Compiles a pipeline inside a stage, with additional variables. */
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

/** Collects all documents, for a stage that needs all of them at once. */
export function holdAll(name: string, documents: Iterable<Document>): Document[] {
  const memory = new StageMemory(name);
  const held: Document[] = [];
  for (const document of documents) {
    memory.hold(document);
    held.push(document);
  }
  return held;
}
