export { startEmbeddedMongo } from "./server.ts";
export type { EmbeddedMongo, ServerOptions } from "./server.ts";
