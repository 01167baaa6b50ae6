/** The baseline of an attack: Node's own server, which answers everything at once. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const small = Buffer.from(JSON.stringify({ success: true, data: "x".repeat(300) }));
/** About the size of the real API reference. */
const large = Buffer.alloc(370_000, "x");

const server = createServer(({ url }, response) => {
  response.end(url === "/openapi.json" ? large : small);
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
