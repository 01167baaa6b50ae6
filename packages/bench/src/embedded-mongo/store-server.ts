/** Runs the embedded store on the given folder, as a separate process. */
import { startEmbeddedMongo } from "@malipo/embedded-mongo";
import { announceReady } from "../announce-ready.ts";

const [dir = ""] = process.argv.slice(2);
const store = await startEmbeddedMongo({ dir, port: 0 });
announceReady({ port: store.port }, () => store.close());
