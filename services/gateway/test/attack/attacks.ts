/** An attack by one client: sockets that send these bytes, and are opened again when closed. */
export interface Attack {
  readonly bytes: string;
  readonly sockets: number;
  readonly reads: boolean;
}

const code = "QRSTUVWXYZ";
const readiness = "GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n";
const stream = `GET /p/${code}/attempt/${"a".repeat(22)}/live HTTP/1.1\r\nhost: x\r\n\r\n`;

function oneByteOf(path: string): Attack {
  const bytes = `POST ${path} HTTP/1.1\r\nhost: x\r\norigin: http://x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`;
  return { bytes, sockets: 1_000, reads: true };
}

/** The attacks that made one client occupy a whole gateway. */
export const attacks = {
  "requests behind live streams": {
    bytes: stream + readiness.repeat(80),
    sockets: 20,
    reads: true,
  },
  "one byte of a callback": oneByteOf("/callbacks/stk/x"),
  "one byte for an unknown path": oneByteOf("/nowhere"),
  "one byte for the API reference": oneByteOf("/openapi.json"),
  "one byte for a pay page": oneByteOf(`/p/${code}/pay`),
  "one byte without a credential": oneByteOf("/business/product/create"),
  "readers that do not read": {
    bytes: "GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n".repeat(8),
    // Unread answers fill buffers of the kernel, and both ends are on this machine.
    sockets: 130,
    reads: false,
  },
  "connections without a request": { bytes: "", sockets: 2_000, reads: true },
} as const satisfies Readonly<Record<string, Attack>>;

export type AttackName = keyof typeof attacks;
