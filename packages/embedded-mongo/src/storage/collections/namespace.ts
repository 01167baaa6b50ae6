import { Buffer } from "node:buffer";
import { MongoError } from "../../errors.ts";
import { limits } from "../../limits.ts";

export function checkDatabaseName(db: string): void {
  if (db === "" || Buffer.byteLength(db) > 63 || /[/\\. "$\0]/.test(db)) {
    throw new MongoError("InvalidNamespace", `Invalid database name: '${db}'`);
  }
}

export function checkCollectionName(db: string, name: string): void {
  if (name === "" || name.startsWith(".") || name.endsWith(".") || /[$\0]/.test(name)) {
    throw new MongoError("InvalidNamespace", `Invalid collection name: ${name}`);
  }
  if (Buffer.byteLength(`${db}.${name}`) > limits.namespaceBytesMax) {
    throw new MongoError(
      "InvalidNamespace",
      `Fully qualified namespace is too long. Max: ${limits.namespaceBytesMax}`,
    );
  }
}

export function checkNamespace(db: string, name: string): void {
  checkDatabaseName(db);
  checkCollectionName(db, name);
  if (name.startsWith("system.")) {
    throw new MongoError("InvalidNamespace", `Invalid system namespace: ${db}.${name}`);
  }
}
