import { rmSync } from "node:fs";
import { writePrivateJson, type Folder } from "./folder.ts";

/** How to reach a running local system, for people, tests and tools. */
export interface Environment {
  readonly apiurl: string;
  readonly secret: string;
  readonly businessid: string;
  readonly customerid: string;
  readonly productid: string;
  readonly operatorurl: string;
  readonly operatortoken: string;
  readonly simulatorurl: string;
  readonly mongodburi: string;
  readonly natsurl: string;
  /** A NATS user with all permissions. */
  readonly natsuser: string;
  readonly natspassword: string;
}

export function writeEnvironment(folder: Folder, environment: Environment): void {
  writePrivateJson(folder.environment, environment);
}

export function removeEnvironment(folder: Folder): void {
  rmSync(folder.environment, { force: true });
}
