import type { Buffer } from "node:buffer";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { FieldNames } from "../../bson/field-names.ts";
import type { RawValue } from "../../bson/raw-document.ts";
import type { IndexDefinition } from "../../indexes/definition.ts";
import { extractKeys } from "../../indexes/key-extraction.ts";
import { type PartialFilter, partialFilterOf } from "../../indexes/partial-filter.ts";

/** The entries of one index: key bytes and the record id of the document with that key. */
export class IndexTable {
  readonly definition: IndexDefinition;
  readonly table: string;
  /** For each field: whether any document ever had an array on its path. */
  multikey: readonly boolean[];
  /** The top-level fields on which the keys of a document depend. */
  readonly fieldNames: FieldNames;
  private readonly partial: PartialFilter | undefined;
  private readonly sql: DatabaseSync;
  private insertStatement: StatementSync | undefined;
  private deleteStatement: StatementSync | undefined;

  constructor(sql: DatabaseSync, definition: IndexDefinition, multikey: readonly boolean[]) {
    this.sql = sql;
    this.definition = definition;
    this.table = `index_${definition.id}`;
    this.multikey = multikey;
    const filter = definition.partialFilter;
    this.partial = filter === undefined ? undefined : partialFilterOf(filter);
    this.fieldNames = new FieldNames([
      ...definition.fields.map(({ components }) => components[0] ?? ""),
      ...(this.partial?.names ?? []),
    ]);
  }

  createTable(): void {
    const columns = this.definition.unique
      ? "k BLOB PRIMARY KEY, rid INTEGER NOT NULL"
      : "k BLOB NOT NULL, rid INTEGER NOT NULL, PRIMARY KEY (k, rid)";
    this.sql.exec(`CREATE TABLE ${this.table} (${columns}) WITHOUT ROWID`);
  }

  dropTable(): void {
    this.sql.exec(`DROP TABLE ${this.table}`);
  }

  get isMultikey(): boolean {
    return this.multikey.includes(true);
  }

  /** The keys of a document in this index. `top` holds the document's fields of `fieldNames`. */
  keysOf(
    document: Buffer,
    top: ReadonlyMap<string, RawValue>,
    onArrays: (arrays: readonly boolean[]) => void,
  ): readonly Buffer[] {
    if (this.partial !== undefined && !this.partial.covers(document, top)) return [];
    const { keys, arrays } = extractKeys(this.definition, top);
    if (arrays.some((array, i) => array && this.multikey[i] !== true)) onArrays(arrays);
    return keys;
  }

  /** Whether a change of these fields can change the keys of a document. */
  dependsOn(changes: FieldNames): boolean {
    if (this.partial !== undefined && this.partial.names === undefined) return true;
    for (const name of this.fieldNames) if (changes.has(name)) return true;
    return false;
  }

  /** Whether the keys can differ between two versions of a document. */
  isAffectedBy(
    before: ReadonlyMap<string, RawValue>,
    after: ReadonlyMap<string, RawValue>,
  ): boolean {
    if (this.partial !== undefined && this.partial.names === undefined) return true;
    return [...this.fieldNames].some((name) => !sameValue(before.get(name), after.get(name)));
  }

  /** Returns false if the index is unique and another document has the key. */
  add(key: Buffer, rid: number): boolean {
    this.insertStatement ??= this.sql.prepare(
      `INSERT INTO ${this.table} (k, rid) VALUES (?, ?) ON CONFLICT DO NOTHING`,
    );
    if (this.definition.unique) return this.insertStatement.run(key, rid).changes === 1;
    // `get` is cheaper than `run`, which allocates a result object.
    this.insertStatement.get(key, rid);
    return true;
  }

  delete(key: Buffer, rid: number): void {
    this.deleteStatement ??= this.sql.prepare(`DELETE FROM ${this.table} WHERE k = ? AND rid = ?`);
    this.deleteStatement.run(key, rid);
  }
}

function sameValue(a: RawValue | undefined, b: RawValue | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.type !== b.type) return false;
  return a.bytes.compare(b.bytes, b.start, b.end, a.start, a.end) === 0;
}
