import { Buffer } from "node:buffer";
import { bsonType } from "./raw-document.ts";

const empty = Buffer.alloc(0);

/** Builds a document from values that are already BSON. */
export class DocumentBuilder {
  private readonly parts: { type: number; name: string; bytes: Buffer }[] = [];

  document(name: string, bytes: Buffer): this {
    return this.add(bsonType.object, name, bytes);
  }

  null(name: string): this {
    return this.add(bsonType.null, name, empty);
  }

  boolean(name: string, value: boolean): this {
    return this.add(bsonType.boolean, name, Buffer.from([value ? 1 : 0]));
  }

  int(name: string, value: number): this {
    const bytes = Buffer.allocUnsafe(4);
    bytes.writeInt32LE(value);
    return this.add(bsonType.int32, name, bytes);
  }

  private add(type: number, name: string, bytes: Buffer): this {
    this.parts.push({ type, name, bytes });
    return this;
  }

  build(): Buffer {
    const size = this.parts.reduce(
      (sum, { name, bytes }) => sum + name.length + 2 + bytes.length,
      5,
    );
    const out = Buffer.allocUnsafe(size);
    let at = out.writeInt32LE(size, 0);
    for (const { type, name, bytes } of this.parts) {
      out[at++] = type;
      at += out.write(name, at, "latin1");
      out[at++] = 0;
      out.set(bytes, at);
      at += bytes.length;
    }
    out[at] = 0;
    return out;
  }
}
