import type { Buffer } from "node:buffer";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Document } from "../bson/values.ts";
import { FieldNames } from "../bson/field-names.ts";
import { asBuffer } from "../bson/raw-document.ts";
import type { RawValue } from "../bson/raw-document.ts";
import { duplicateKey } from "../indexes/duplicate-key.ts";
import { topLevelFields } from "../indexes/key-extraction.ts";
import type { Creation } from "../transactions/transaction.ts";
import type { IndexTable } from "./index-table.ts";
import type { LaterEntries } from "./later-entries.ts";
import type { RedoRecord } from "./redo-record.ts";
import { prepareRows } from "./sqlite.ts";

/** Told of every document that is about to change, while a transaction is open. */
export type ChangeWatcher = {
  before(collection: Collection, rid: number): void;
  after(collection: Collection, rid: number, before?: Buffer, after?: Buffer): void;
  /** A document is about to take a key of a unique index. */
  takes(collection: Collection, index: string, key: Buffer): void;
  created(creation: Creation): void;
};

export type CollectionContext = {
  readonly sql: DatabaseSync;
  readonly redo: RedoRecord;
  watcher: ChangeWatcher | undefined;
  arraysSeen(index: IndexTable, arrays: readonly boolean[]): void;
};

type IndexEntry = { readonly index: IndexTable; readonly key: Buffer };

/** The documents of one collection, numbered in the order they came, and their index entries. */
export class Collection {
  readonly id: number;
  readonly db: string;
  readonly name: string;
  readonly namespace: string;
  readonly table: string;
  options: Document;
  private readonly context: CollectionContext;
  private readonly texts: ReturnType<typeof textsOf>;
  private indexList: readonly IndexTable[] = [];
  private indexedNames = new FieldNames([]);
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
    this.texts = textsOf(this.table);
    this.options = options;
  }

  createTable(): void {
    this.context.sql.exec(
      `CREATE TABLE ${this.table} (rid INTEGER PRIMARY KEY, doc BLOB NOT NULL)`,
    );
  }

  /** Always the index on `_id` first. */
  get indexes(): readonly IndexTable[] {
    return this.indexList;
  }

  set indexes(indexes: readonly IndexTable[]) {
    this.indexList = indexes;
    this.indexedNames = new FieldNames(indexes.flatMap(({ names }) => [...names]));
  }

  /**
   * Forgets what is counted in memory, after a rollback. Numbers once given are not given again:
   * an open transaction may hold them.
   */
  forgetCounts(): void {
    this.documentCount = undefined;
  }

  /** A statement over this collection, prepared once. */
  rows(text: string): StatementSync {
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
    const row = this.rows(`SELECT count(*) FROM ${table}`).get() as unknown as [number];
    return row[0];
  }

  get dataBytes(): number {
    const text = `SELECT coalesce(sum(length(doc)), 0) FROM ${this.table}`;
    return (this.rows(text).get() as unknown as [number])[0];
  }

  read(rid: number): Buffer | undefined {
    const row = this.rows(this.texts.read).get(rid) as [Uint8Array] | undefined;
    return row === undefined ? undefined : asBuffer(row[0]);
  }

  /** Reads the document that has a key of a unique index. */
  readerByKey(index: string): (key: Buffer) => { rid: number; document: Buffer } | undefined {
    const text = `SELECT rid, doc FROM ${index} CROSS JOIN ${this.table} USING (rid) WHERE k = ?`;
    const statement = this.rows(text);
    return (key) => {
      const row = statement.get(key) as [number, Uint8Array] | undefined;
      return row === undefined ? undefined : { rid: row[0], document: asBuffer(row[1]) };
    };
  }

  /**
   * The document's number. Throws E11000, having changed nothing. `later` gets the index entries
   * that can wait.
   */
  insert(document: Buffer, later?: LaterEntries): number {
    const rid = this.takeRid();
    this.insertAt(rid, document, later);
    return rid;
  }

  insertAt(rid: number, document: Buffer, later?: LaterEntries): void {
    this.context.watcher?.before(this, rid);
    const top = topLevelFields(document, this.indexedNames);
    this.addEntries(this.entriesOf(document, top), rid, top, later);
    this.rows(this.texts.insert).get(rid, document);
    if (this.documentCount !== undefined) this.documentCount++;
    this.context.redo.add({ kind: "insert", collection: this.id, rid, document });
    this.context.watcher?.after(this, rid, undefined, document);
  }

  /** `changes` are the only fields that differ, where that is known. */
  replace(rid: number, before: Buffer, after: Buffer, changes?: FieldNames): void {
    this.context.watcher?.before(this, rid);
    const concerned = changes
      ? this.indexList.filter((index) => index.looksAt(changes))
      : this.indexList;
    if (concerned.length > 0) this.moveEntries(concerned, rid, before, after);
    this.rows(this.texts.replace).run(after, rid);
    this.context.redo.add({ kind: "replace", collection: this.id, rid, document: after });
    this.context.watcher?.after(this, rid, before, after);
  }

  private moveEntries(
    indexes: readonly IndexTable[],
    rid: number,
    before: Buffer,
    after: Buffer,
  ): void {
    const oldTop = topLevelFields(before, this.indexedNames);
    const top = topLevelFields(after, this.indexedNames);
    const affected = indexes.filter((index) => index.affectedBy(oldTop, top));
    if (affected.length === 0) return;
    const oldEntries = this.entriesOf(before, oldTop, affected);
    const newEntries = this.entriesOf(after, top, affected);
    this.addEntries(entriesWithout(newEntries, oldEntries), rid, top);
    for (const { index, key } of entriesWithout(oldEntries, newEntries)) index.delete(key, rid);
  }

  remove(rid: number, before: Buffer): void {
    this.context.watcher?.before(this, rid);
    const entries = this.entriesOf(before, topLevelFields(before, this.indexedNames));
    for (const { index, key } of entries) index.delete(key, rid);
    this.rows(this.texts.remove).run(rid);
    if (this.documentCount !== undefined) this.documentCount--;
    this.context.redo.add({ kind: "remove", collection: this.id, rid });
    this.context.watcher?.after(this, rid, before, undefined);
  }

  /** Fills a new index from the documents there are. */
  build(index: IndexTable): void {
    const all = this.context.sql.prepare(`SELECT rid, doc FROM ${this.table}`);
    all.setReturnArrays(true);
    for (const row of all.iterate()) {
      const [rid, doc] = row as unknown as [number, Uint8Array];
      const document = asBuffer(doc);
      const top = topLevelFields(document, index.names);
      for (const key of this.keys(index, document, top)) {
        if (!index.add(key, rid)) throw duplicateKey(this.namespace, index.definition, top, key);
      }
    }
  }

  takeRid(): number {
    if (this.nextRid === undefined) {
      const text = `SELECT coalesce(max(rid), 0) FROM ${this.table}`;
      this.nextRid = (this.rows(text).get() as unknown as [number])[0] + 1;
    }
    return this.nextRid++;
  }

  private keys(
    index: IndexTable,
    document: Buffer,
    top: ReadonlyMap<string, RawValue>,
  ): readonly Buffer[] {
    return index.keysOf(document, top, (arrays) => this.context.arraysSeen(index, arrays));
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
    later?: LaterEntries,
  ): void {
    this.takeUniqueKeys(entries, rid, top);
    for (const { index, key } of entries) {
      if (index.definition.unique) continue;
      if (later === undefined) index.add(key, rid);
      else later.keep(index, key, rid);
    }
  }

  private takeUniqueKeys(
    entries: readonly IndexEntry[],
    rid: number,
    top: ReadonlyMap<string, RawValue>,
  ): void {
    for (const [before, { index, key }] of entries.entries()) {
      if (!index.definition.unique) continue;
      this.context.watcher?.takes(this, index.definition.name, key);
      if (index.add(key, rid)) continue;
      for (const done of entries.slice(0, before)) {
        if (done.index.definition.unique) done.index.delete(done.key, rid);
      }
      throw duplicateKey(this.namespace, index.definition, top, key);
    }
  }
}

/** Put together once: every write looks one up. */
function textsOf(table: string) {
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
