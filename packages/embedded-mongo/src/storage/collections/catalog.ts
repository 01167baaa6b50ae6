import type { DatabaseSync } from "node:sqlite";
import { asBuffer } from "../../bson/raw-document.ts";
import { decodeDocument, encodeDocument } from "../../document-codec.ts";
import type { Document } from "../../document-codec.ts";
import { MongoError } from "../../errors.ts";
import { limits } from "../../limits.ts";
import { definitionOf, idSpecification } from "../../indexes/specification.ts";
import { Collection } from "./collection.ts";
import type { CollectionContext } from "./collection.ts";
import { IndexTable } from "./index-table.ts";
import { checkNamespace } from "./namespace.ts";
import type { RedoRecord } from "../redo/redo-record.ts";

/** The collections and indexes of the store. */
export class Catalog {
  private readonly sql: DatabaseSync;
  private readonly context: CollectionContext;
  private readonly byNamespace = new Map<string, Collection>();
  private readonly byId = new Map<number, Collection>();
  /** Set by every change of the catalog. A rollback must then load the catalog again. */
  isChanged = false;
  /** Set by changes that the redo log cannot hold. Only a commit of SQLite makes them durable. */
  hasSchemaChange = false;

  constructor(sql: DatabaseSync, redo: RedoRecord) {
    this.sql = sql;
    this.context = {
      sql,
      redo,
      observer: undefined,
      onArrays: (index, arrays) => this.markMultikey(index, arrays),
    };
    this.load();
  }

  /** Observes every document change while a transaction is open. */
  set observer(watcher: CollectionContext["observer"]) {
    this.context.observer = watcher;
  }

  get observer(): CollectionContext["observer"] {
    return this.context.observer;
  }

  find(db: string, name: string): Collection | undefined {
    return this.byNamespace.get(`${db}.${name}`);
  }

  findById(id: number): Collection | undefined {
    return this.byId.get(id);
  }

  collectionsOf(db: string): readonly Collection[] {
    return [...this.byNamespace.values()].filter((collection) => collection.db === db);
  }

  all(): readonly Collection[] {
    return [...this.byNamespace.values()];
  }

  findOrCreate(db: string, name: string): Collection {
    return this.find(db, name) ?? this.create(db, name, {});
  }

  create(db: string, name: string, options: Document): Collection {
    checkNamespace(db, name);
    if (this.byNamespace.size >= limits.collectionsMax) {
      throw new MongoError("OperationFailed", `more than ${limits.collectionsMax} collections`);
    }
    this.markSchemaChange();
    const { lastInsertRowid } = this.sql
      .prepare("INSERT INTO collections (db, name, options) VALUES (?, ?, ?)")
      .run(db, name, encodeDocument(options));
    const identity = { id: Number(lastInsertRowid), db, name };
    const collection = new Collection(this.context, identity, options);
    collection.createTable();
    this.register(collection);
    this.context.observer?.afterCreation({ kind: "collection", db, name, options });
    this.addIndex(collection, idSpecification);
    return collection;
  }

  drop(collection: Collection): void {
    this.markSchemaChange();
    for (const index of collection.indexes) index.dropTable();
    this.sql.exec(`DROP TABLE ${collection.table}`);
    this.sql.prepare("DELETE FROM indexes WHERE collection = ?").run(collection.id);
    this.sql.prepare("DELETE FROM collections WHERE id = ?").run(collection.id);
    this.byNamespace.delete(collection.namespace);
    this.byId.delete(collection.id);
  }

  rename(collection: Collection, db: string, name: string): Collection {
    checkNamespace(db, name);
    this.markSchemaChange();
    this.sql
      .prepare("UPDATE collections SET db = ?, name = ? WHERE id = ?")
      .run(db, name, collection.id);
    this.reload();
    const renamed = this.find(db, name);
    if (renamed === undefined)
      throw new Error("the renamed collection is missing from the catalog");
    return renamed;
  }

  setOptions(collection: Collection, options: Document): void {
    this.markSchemaChange();
    this.sql
      .prepare("UPDATE collections SET options = ? WHERE id = ?")
      .run(encodeDocument(options), collection.id);
    collection.options = options;
  }

  /** Creates and fills the index. */
  addIndex(collection: Collection, specification: Document): IndexTable {
    this.markSchemaChange();
    const { lastInsertRowid } = this.sql
      .prepare("INSERT INTO indexes (collection, name, specification) VALUES (?, ?, ?)")
      .run(collection.id, String(specification["name"]), encodeDocument(specification));
    const definition = definitionOf(Number(lastInsertRowid), specification);
    const index = new IndexTable(this.sql, definition, []);
    index.createTable();
    collection.fillIndex(index);
    collection.indexes = [...collection.indexes, index];
    const { db, name } = collection;
    this.context.observer?.afterCreation({ kind: "index", db, name, specification });
    return index;
  }

  /** Replaces the specification of an index, for `collMod`. */
  changeIndex(collection: Collection, index: IndexTable, specification: Document): void {
    this.markSchemaChange();
    this.sql
      .prepare("UPDATE indexes SET specification = ? WHERE id = ?")
      .run(encodeDocument(specification), index.definition.id);
    const definition = definitionOf(index.definition.id, specification);
    const changed = new IndexTable(this.sql, definition, index.multikey);
    collection.indexes = collection.indexes.map((one) => (one === index ? changed : one));
  }

  dropIndex(collection: Collection, index: IndexTable): void {
    this.markSchemaChange();
    index.dropTable();
    this.sql.prepare("DELETE FROM indexes WHERE id = ?").run(index.definition.id);
    collection.indexes = collection.indexes.filter((one) => one !== index);
  }

  private markSchemaChange(): void {
    this.isChanged = true;
    this.hasSchemaChange = true;
  }

  /** Brings the catalog in line with SQLite after a rollback. */
  afterRollback(): void {
    for (const collection of this.byId.values()) collection.resetCount();
    if (this.isChanged) this.reload();
  }

  private reload(): void {
    const known = new Map(this.byId);
    this.byNamespace.clear();
    this.byId.clear();
    this.load(known);
    this.isChanged = false;
  }

  private load(known: ReadonlyMap<number, Collection> = new Map()): void {
    const indexRows = this.sql.prepare(
      "SELECT id, specification, multikey FROM indexes WHERE collection = ? ORDER BY id",
    );
    for (const row of this.sql.prepare("SELECT * FROM collections ORDER BY id").all()) {
      const identity = { id: Number(row["id"]), db: String(row["db"]), name: String(row["name"]) };
      const options = decodeDocument(asBuffer(row["options"] as Uint8Array));
      const same = known.get(identity.id);
      const collection =
        same?.namespace === `${identity.db}.${identity.name}`
          ? same
          : new Collection(this.context, identity, options);
      collection.options = options;
      collection.indexes = indexRows.all(identity.id).map((index) => {
        const specification = decodeDocument(asBuffer(index["specification"] as Uint8Array));
        const definition = definitionOf(Number(index["id"]), specification);
        return new IndexTable(this.sql, definition, bitsOf(Number(index["multikey"])));
      });
      this.register(collection);
    }
  }

  private register(collection: Collection): void {
    this.byNamespace.set(collection.namespace, collection);
    this.byId.set(collection.id, collection);
  }

  private markMultikey(index: IndexTable, arrays: readonly boolean[]): void {
    this.isChanged = true;
    index.multikey = index.definition.fields.map(
      (_, i) => arrays[i] === true || index.multikey[i] === true,
    );
    const bits = index.multikey.reduce((sum, array, i) => (array ? sum + 2 ** i : sum), 0);
    this.sql.prepare("UPDATE indexes SET multikey = ? WHERE id = ?").run(bits, index.definition.id);
  }
}

function bitsOf(bits: number): boolean[] {
  return bits
    .toString(2)
    .split("")
    .toReversed()
    .map((bit) => bit === "1");
}
