import { connect, type Socket } from "node:net";

export interface HoldOptions {
  readonly url: string;
  /** The attacker's own address, such as 127.0.0.9. */
  readonly from: string;
  readonly bytes: string;
  readonly sockets: number;
  /** Whether the attacker reads the answers. */
  readonly reads?: boolean;
}

export interface HeldSockets {
  /** Sockets that the server has not closed. */
  open(): number;
  /** What the server sent on all sockets. */
  received(): string;
  /** Sends more bytes on all sockets. */
  write(bytes: string): void;
  close(): void;
}

/** Opens sockets that all send the same bytes and then wait. */
export async function holdSockets(options: HoldOptions): Promise<HeldSockets> {
  const chunks: Buffer[] = [];
  const open = new Set<Socket>();
  await Promise.all(
    Array.from({ length: options.sockets }, async () => {
      const socket = openSocket(options);
      open.add(socket);
      socket.once("close", () => open.delete(socket));
      if (options.reads !== false) socket.on("data", (chunk) => chunks.push(chunk));
      await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
    }),
  );
  return {
    open: () => open.size,
    received: () => Buffer.concat(chunks).toString("latin1"),
    write: (bytes) => {
      for (const socket of open) socket.write(bytes);
    },
    close: () => {
      for (const socket of open) socket.destroy();
    },
  };
}

export function openSocket({ url, from, bytes }: HoldOptions): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: from });
  // The server closes sockets of an attack, often before their client has written everything.
  socket.on("error", () => socket.destroy());
  socket.write(bytes);
  return socket;
}
