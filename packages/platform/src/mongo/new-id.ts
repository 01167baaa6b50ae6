import { ObjectId } from "mongodb";

export function newId(): string {
  return new ObjectId().toHexString();
}
