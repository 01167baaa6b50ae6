import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { Transform } from "node:stream";

/** A TCP proxy between a program and a server, through which a test simulates network faults. */
export interface FaultyLink {
  readonly port: number;
  /** Breaks every open connection. New connections work. */
  cut(): void;
  /** While refused, open connections are broken and new connections are refused. */
  refuse(refused: boolean): void;
  /** While silent, bytes are accepted and dropped: there is neither an answer nor an error. */
  silence(silent: boolean): void;
  /** Delays every chunk by this time, in both directions. */
  delay(ms: number): void;
  close(): Promise<void>;
}

export async function faultyLink(to: { port: number; host?: string }): Promise<FaultyLink> {
  const state = { refused: false, silent: false, delayMs: 0 };
  const open = new Set<Socket>();
  const cut = (): void => {
    for (const socket of open) socket.resetAndDestroy();
  };
  const server = createServer((client) => {
    if (state.refused) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ host: "127.0.0.1", ...to });
    forward(client, upstream, open, state);
    forward(upstream, client, open, state);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    refuse: (refused) => {
      state.refused = refused;
      if (refused) cut();
    },
    silence: (silent) => {
      state.silent = silent;
    },
    delay: (ms) => {
      state.delayMs = ms;
    },
    close: async () => {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}

interface LinkState {
  readonly silent: boolean;
  readonly delayMs: number;
}

function forward(from: Socket, to: Socket, open: Set<Socket>, state: LinkState): void {
  open.add(from);
  from.setNoDelay(true);
  // "close" follows and ends the other side. The test caused the error, so the error itself is ignored.
  from.on("error", () => undefined);
  from.once("close", () => {
    open.delete(from);
    to.destroy();
  });
  from.pipe(faultyTransform(state)).pipe(to);
}

function faultyTransform(state: LinkState): Transform {
  return new Transform({
    transform: (chunk, _encoding, done) => {
      if (state.silent) done();
      else if (state.delayMs === 0) done(null, chunk);
      else setTimeout(() => done(null, chunk), state.delayMs);
    },
  });
}
