import { parseArgs } from "node:util";
import { startEmbeddedMongo } from "../../src/index.ts";

const { dir = "", port } = parseArgs({
  options: { dir: { type: "string" }, port: { type: "string" } },
}).values;
const bounds = { redoBytesMax: 3_000 };
const server = await startEmbeddedMongo({ dir, port: Number(port), bounds });
process.stdout.write(`listening on ${server.uri}\n`);
