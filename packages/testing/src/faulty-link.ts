import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { Transform } from "node:stream";

/** A TCP connection between a program and a server, on which a test can play the network's tricks. */
export interface FaultyLink {
  readonly port: number;
  /** Every open connection breaks; new ones work. */
  cut(): void;
  /** While refused, open connections break and new ones are not taken. */
  refuse(refused: boolean): void;
  /** While silent, bytes are taken and go nowhere: no answer, and no error either. */
  silence(silent: boolean): void;
  /** Every piece that passes is held up this long, in both directions. */
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
    join(client, upstream, open, state);
    join(upstream, client, open, state);
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

function join(from: Socket, to: Socket, open: Set<Socket>, state: LinkState): void {
  open.add(from);
  from.setNoDelay(true);
  // The other half hears of the end; why it ended is the test's doing.
  from.on("error", () => undefined);
  from.once("close", () => {
    open.delete(from);
    to.destroy();
  });
  from.pipe(tricks(state)).pipe(to);
}

function tricks(state: LinkState): Transform {
  return new Transform({
    transform: (piece, _encoding, done) => {
      if (state.silent) done();
      else if (state.delayMs === 0) done(null, piece);
      else setTimeout(() => done(null, piece), state.delayMs);
    },
  });
}
