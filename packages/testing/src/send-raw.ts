import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. When a name is repeated, this is its last value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const timeoutMs = 20_000;
const headEnd = "\r\n\r\n";

/**
 * Writes bytes, which need not be HTTP, and reads the answers until the server closes the connection.
 * With `hangUp` it closes its own side after writing; a complete request then gets no answer.
 */
export async function sendRaw(
  url: string,
  bytes: Uint8Array | string,
  { hangUp = false, withinMs = timeoutMs } = {},
): Promise<RawAnswer[]> {
  const { hostname, port } = new URL(url);
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.setTimeout(withinMs, () => {
      socket.destroy(new Error(`the server did not close the connection within ${withinMs} ms`));
    });
    socket.on("data", (chunk: Buffer) => void chunks.push(chunk));
    // A server that refuses a request in the middle of its body may reset the connection.
    socket.on("error", (error) => (chunks.length > 0 ? resolve() : reject(error)));
    socket.once("close", () => resolve());
    if (hangUp) socket.end(bytes);
    else socket.write(bytes);
  });
  return answersIn(Buffer.concat(chunks).toString("latin1"));
}

/** `wire` has one character per byte, so that lengths are those of the wire. */
function answersIn(wire: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = wire;
  while (rest !== "") {
    const end = rest.indexOf(headEnd);
    if (end === -1) throw new Error(`not an answer: ${JSON.stringify(rest.slice(0, 200))}`);
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const bodyAt = end + headEnd.length;
    const length = Number(headers["content-length"] ?? 0);
    const body = rest.slice(bodyAt, bodyAt + length);
    if (body.length < length) throw new Error(`an answer is incomplete: ${rest.slice(0, 200)}`);
    const text = Buffer.from(body, "latin1").toString();
    answers.push({ status: Number(first.split(" ")[1]), headers, text });
    rest = rest.slice(bodyAt + length);
  }
  return answers;
}
