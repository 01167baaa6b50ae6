import type { Document } from "../../document-codec.ts";

/** A collection or an index that a transaction creates. */
export type Creation =
  | {
      readonly kind: "collection";
      readonly db: string;
      readonly name: string;
      readonly options: Document;
    }
  | {
      readonly kind: "index";
      readonly db: string;
      readonly name: string;
      readonly specification: Document;
    };
