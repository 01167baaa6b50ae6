import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  /** Names in small letters; of a name that comes twice the last one. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const patienceMs = 20_000;
const headEnd = "\r\n\r\n";

/**
 * Writes bytes that need not be HTTP and reads the answers until the server closes the connection.
 * With `hangUp` it ends its own side first: of a whole request no answer would be heard then.
 */
export async function sendRaw(
  url: string,
  bytes: Uint8Array | string,
  { hangUp = false, withinMs = patienceMs } = {},
): Promise<RawAnswer[]> {
  const { hostname, port } = new URL(url);
  const pieces: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.setTimeout(withinMs, () => {
      socket.destroy(new Error(`no end within ${withinMs} ms`));
    });
    socket.on("data", (piece: Buffer) => void pieces.push(piece));
    // Whoever is sent away in the middle of a body may lose the line before the answer is read.
    socket.on("error", (error) => (pieces.length > 0 ? resolve() : reject(error)));
    socket.once("close", () => resolve());
    if (hangUp) socket.end(bytes);
    else socket.write(bytes);
  });
  return answersIn(Buffer.concat(pieces).toString("latin1"));
}

/** One character a byte, so that lengths are those of the wire. */
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
    if (body.length < length) throw new Error(`an answer broke off: ${rest.slice(0, 200)}`);
    const text = Buffer.from(body, "latin1").toString();
    answers.push({ status: Number(first.split(" ")[1]), headers, text });
    rest = rest.slice(bodyAt + length);
  }
  return answers;
}
