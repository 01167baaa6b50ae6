/**
 * The least that a MongoDB server in Node can do: it frames messages, reads the command's name, and
 * answers with prepared bytes.
 */
import { createServer, type AddressInfo, type Socket } from "node:net";
import { announceReady } from "../announce-ready.ts";
import {
  cannedBodies,
  firstReplyTemplate,
  helloBody,
  messageTemplate,
  replyFrom,
  type Template,
} from "./canned-replies.ts";

const opQuery = 2004;
const messageBytesMin = 26;
const messageBytesMax = 48_000_000;
const commandNameOffset = 26;

const [namespace = ""] = process.argv.slice(2);
const success = messageTemplate({ ok: 1 });
const templates = new Map<string, Template>(
  Object.entries(cannedBodies(namespace)).map(([name, body]) => [name, messageTemplate(body)]),
);
let firstReply = success;

const server = createServer({ noDelay: true }, serve);
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  const hello = helloBody(port);
  firstReply = firstReplyTemplate(hello);
  templates.set("hello", messageTemplate(hello));
  announceReady({ port });
});

function serve(socket: Socket): void {
  let pending: Buffer = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    let offset = 0;
    while (bytes.length - offset >= 4) {
      const length = bytes.readInt32LE(offset);
      if (length < messageBytesMin || length > messageBytesMax) {
        socket.destroy();
        return;
      }
      if (bytes.length - offset < length) break;
      socket.write(replyFrom(templateFor(bytes, offset), bytes.readInt32LE(offset + 4)));
      offset += length;
    }
    pending = bytes.subarray(offset);
  });
}

function templateFor(bytes: Buffer, offset: number): Template {
  if (bytes.readInt32LE(offset + 12) === opQuery) return firstReply;
  const nameStart = offset + commandNameOffset;
  const name = bytes.toString("latin1", nameStart, bytes.indexOf(0, nameStart));
  return templates.get(name) ?? success;
}
