/** The exports that a program outside a test run can import too: none of them imports vitest. */
export { type ApiAnswer, call, dataOf, idIn, makeBusiness } from "./api-client.ts";
export { type Publisher, openPublisher } from "./event-stream.ts";
export { eventually } from "./eventually.ts";
export { createStreams } from "./create-streams.ts";
