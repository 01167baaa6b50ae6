import type { Buffer } from "node:buffer";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Document } from "../../document-codec.ts";
import { FieldNames } from "../../bson/field-names.ts";
import { asBuffer } from "../../bson/raw-document.ts";
import type { RawValue } from "../../bson/raw-document.ts";
import { duplicateKey } from "../../indexes/duplicate-key.ts";
import { topLevelFields } from "../../indexes/key-extraction.ts";
import type { Creation } from "./creation.ts";
import type { IndexTable } from "./index-table.ts";
import type { DeferredIndexEntries } from "./deferred-index-entries.ts";
import type { RedoRecord } from "../redo/redo-record.ts";
import { prepareRows } from "../sqlite.ts";

/** Observes document changes while a transaction is open. */
export type ChangeObserver = {
  beforeChange(collection: Collection, rid: number): void;
  afterChange(collection: Collection, rid: number, before?: Buffer, after?: Buffer): void;
  /** Called before a document takes a key of a unique index. */
  beforeUniqueKey(collection: Collection, index: string, key: Buffer): void;
  afterCreation(creation: Creation): void;
};

export type CollectionContext = {
  readonly sql: DatabaseSync;
  readonly redo: RedoRecord;
  observer: ChangeObserver | undefined;
  onArrays(index: IndexTable, arrays: readonly boolean[]): void;
};

type IndexEntry = { readonly index: IndexTable; readonly key: Buffer };

/** The documents of one collection and their index entries. Record ids rise in insertion order. */
export class Collection {
  readonly id: number;
  readonly db: string;
  readonly name: string;
  readonly namespace: string;
  readonly table: string;
  options: Document;
  private readonly context: CollectionContext;
  private readonly sqlTexts: ReturnType<typeof sqlTextsFor>;
  private indexList: readonly IndexTable[] = [];
  private indexedFields = new FieldNames([]);
  private nextRid: number | undefined;
  private documentCount: number | undefined;
  private readonly statements = new Map<string, StatementSync>();

  constructor(
    context: CollectionContext,
    identity: { readonly id: number; readonly db: string; readonly name: string },
    options: Document,
  ) {
    this.context = context;
    this.id = identity.id;
    this.db = identity.db;
    this.name = identity.name;
    this.namespace = `${identity.db}.${identity.name}`;
    this.table = `documents_${identity.id}`;
    this.sqlTexts = sqlTextsFor(this.table);
    this.options = options;
  }

  createTable(): void {
    this.context.sql.exec(
      `CREATE TABLE ${this.table} (rid INTEGER PRIMARY KEY, doc BLOB NOT NULL)`,
    );
  }

  /** The index on `_id` is always the first. */
  get indexes(): readonly IndexTable[] {
    return this.indexList;
  }

  set indexes(indexes: readonly IndexTable[]) {
    this.indexList = indexes;
    this.indexedFields = new FieldNames(indexes.flatMap(({ fieldNames }) => [...fieldNames]));
  }

  /**
   * Drops the cached count after a rollback. Record ids are not reused even then, because an open
   * transaction may hold them.
   */
  resetCount(): void {
    this.documentCount = undefined;
  }

  /** A cached prepared statement over this collection. */
  statement(text: string): StatementSync {
    let statement = this.statements.get(text);
    if (statement === undefined) {
      statement = prepareRows(this.context.sql, text);
      this.statements.set(text, statement);
    }
    return statement;
  }

  get count(): number {
    this.documentCount ??= this.countRows();
    return this.documentCount;
  }

  private countRows(): number {
    const table = this.indexList[0]?.table ?? this.table;
    const row = this.statement(`SELECT count(*) FROM ${table}`).get() as unknown as [number];
    return row[0];
  }

  get dataBytes(): number {
    const text = `SELECT coalesce(sum(length(doc)), 0) FROM ${this.table}`;
    return (this.statement(text).get() as unknown as [number])[0];
  }

  read(rid: number): Buffer | undefined {
    const row = this.statement(this.sqlTexts.read).get(rid) as [Uint8Array] | undefined;
    return row === undefined ? undefined : asBuffer(row[0]);
  }

  /** Returns a function that reads the document with a given key of a unique index. */
  readerByKey(index: string): (key: Buffer) => { rid: number; document: Buffer } | undefined {
    const text = `SELECT rid, doc FROM ${index} CROSS JOIN ${this.table} USING (rid) WHERE k = ?`;
    const statement = this.statement(text);
    return (key) => {
      const row = statement.get(key) as [number, Uint8Array] | undefined;
      return row === undefined ? undefined : { rid: row[0], document: asBuffer(row[1]) };
    };
  }

  /**
   * Returns the record id. Throws E11000 without changing anything. `deferred` collects the index
   * entries that can be written later.
   */
  insert(document: Buffer, deferred?: DeferredIndexEntries): number {
    const rid = this.allocateRid();
    this.insertAt(rid, document, deferred);
    return rid;
  }

  insertAt(rid: number, document: Buffer, deferred?: DeferredIndexEntries): void {
    this.context.observer?.beforeChange(this, rid);
    const top = topLevelFields(document, this.indexedFields);
    this.addEntries(this.entriesOf(document, top), rid, top, deferred);
    this.statement(this.sqlTexts.insert).get(rid, document);
    if (this.nextRid !== undefined) this.nextRid = Math.max(this.nextRid, rid + 1);
    if (this.documentCount !== undefined) this.documentCount++;
    this.context.redo.add({ kind: "insert", collection: this.id, rid, document });
    this.context.observer?.afterChange(this, rid, undefined, document);
  }

  /** `changes` lists the top-level fields that may differ, if that is known. */
  replace(rid: number, before: Buffer, after: Buffer, changes?: FieldNames): void {
    this.context.observer?.beforeChange(this, rid);
    const relevant = changes
      ? this.indexList.filter((index) => index.dependsOn(changes))
      : this.indexList;
    if (relevant.length > 0) this.replaceEntries(relevant, rid, before, after);
    this.statement(this.sqlTexts.replace).run(after, rid);
    this.context.redo.add({ kind: "replace", collection: this.id, rid, document: after });
    this.context.observer?.afterChange(this, rid, before, after);
  }

  private replaceEntries(
    indexes: readonly IndexTable[],
    rid: number,
    before: Buffer,
    after: Buffer,
  ): void {
    const oldTop = topLevelFields(before, this.indexedFields);
    const top = topLevelFields(after, this.indexedFields);
    const affected = indexes.filter((index) => index.isAffectedBy(oldTop, top));
    if (affected.length === 0) return;
    const oldEntries = this.entriesOf(before, oldTop, affected);
    const newEntries = this.entriesOf(after, top, affected);
    this.addEntries(entriesWithout(newEntries, oldEntries), rid, top);
    for (const { index, key } of entriesWithout(oldEntries, newEntries)) index.delete(key, rid);
  }

  remove(rid: number, before: Buffer): void {
    this.context.observer?.beforeChange(this, rid);
    // Read before the newest document is gone: a rollback may bring it and its record id back.
    this.findNextRid();
    const entries = this.entriesOf(before, topLevelFields(before, this.indexedFields));
    for (const { index, key } of entries) index.delete(key, rid);
    this.statement(this.sqlTexts.remove).run(rid);
    if (this.documentCount !== undefined) this.documentCount--;
    this.context.redo.add({ kind: "remove", collection: this.id, rid });
    this.context.observer?.afterChange(this, rid, before, undefined);
  }

  /** Fills a new index from the existing documents. */
  fillIndex(index: IndexTable): void {
    const all = this.context.sql.prepare(`SELECT rid, doc FROM ${this.table}`);
    all.setReturnArrays(true);
    for (const row of all.iterate()) {
      const [rid, doc] = row as unknown as [number, Uint8Array];
      const document = asBuffer(doc);
      const top = topLevelFields(document, index.fieldNames);
      for (const key of this.keys(index, document, top)) {
        if (!index.add(key, rid)) throw duplicateKey(this.namespace, index.definition, top, key);
      }
    }
  }

  allocateRid(): number {
    const rid = this.findNextRid();
    this.nextRid = rid + 1;
    return rid;
  }

  private findNextRid(): number {
    if (this.nextRid === undefined) {
      const text = `SELECT coalesce(max(rid), 0) FROM ${this.table}`;
      this.nextRid = (this.statement(text).get() as unknown as [number])[0] + 1;
    }
    return this.nextRid;
  }

  private keys(
    index: IndexTable,
    document: Buffer,
    top: ReadonlyMap<string, RawValue>,
  ): readonly Buffer[] {
    return index.keysOf(document, top, (arrays) => this.context.onArrays(index, arrays));
  }

  private entriesOf(
    document: Buffer,
    top: ReadonlyMap<string, RawValue>,
    indexes: readonly IndexTable[] = this.indexList,
  ): IndexEntry[] {
    const entries: IndexEntry[] = [];
    for (const index of indexes) {
      for (const key of this.keys(index, document, top)) entries.push({ index, key });
    }
    return entries;
  }

  private addEntries(
    entries: readonly IndexEntry[],
    rid: number,
    top: ReadonlyMap<string, RawValue>,
    deferred?: DeferredIndexEntries,
  ): void {
    this.addUniqueEntries(entries, rid, top);
    for (const { index, key } of entries) {
      if (index.definition.unique) continue;
      if (deferred === undefined) index.add(key, rid);
      else deferred.add(index, key, rid);
    }
  }

  private addUniqueEntries(
    entries: readonly IndexEntry[],
    rid: number,
    top: ReadonlyMap<string, RawValue>,
  ): void {
    for (const [before, { index, key }] of entries.entries()) {
      if (!index.definition.unique) continue;
      this.context.observer?.beforeUniqueKey(this, index.definition.name, key);
      if (index.add(key, rid)) continue;
      for (const done of entries.slice(0, before)) {
        if (done.index.definition.unique) done.index.delete(done.key, rid);
      }
      throw duplicateKey(this.namespace, index.definition, top, key);
    }
  }
}

/** Built once per collection, because every write uses one of them as a cache key. */
function sqlTextsFor(table: string) {
  return {
    read: `SELECT doc FROM ${table} WHERE rid = ?`,
    insert: `INSERT INTO ${table} (rid, doc) VALUES (?, ?)`,
    replace: `UPDATE ${table} SET doc = ? WHERE rid = ?`,
    remove: `DELETE FROM ${table} WHERE rid = ?`,
  };
}

function entriesWithout(entries: IndexEntry[], others: readonly IndexEntry[]): IndexEntry[] {
  return entries.filter(
    ({ index, key }) => !others.some((other) => other.index === index && other.key.equals(key)),
  );
}
