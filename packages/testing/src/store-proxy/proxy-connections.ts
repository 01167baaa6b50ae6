import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { answeredRequest, type CommandMessage, messagesOf, readCommand } from "./wire-message.ts";

/** What becomes of a command: it goes on to the store, or this answers it. */
export interface CommandHandling {
  /** Decides once all that must happen before the command has happened. Bytes answer the command. */
  readonly before: (command: CommandMessage) => Promise<"forward" | Buffer>;
  /** Called when the store has executed the command, before the reply goes on. */
  readonly after: (command: CommandMessage) => Promise<"forward" | Buffer>;
}

export interface ProxyConnections {
  readonly port: number;
  close(): Promise<void>;
}

/** Accepts connections and forwards their messages to the store, one by one, in both directions. */
export async function acceptConnections(
  storeAddress: { readonly host: string; readonly port: number } | { readonly path: string },
  handling: CommandHandling,
): Promise<ProxyConnections> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const store = connect(storeAddress);
    for (const socket of [client, store]) {
      socket.setNoDelay(true);
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        store.destroy();
      });
    }
    const pending = new Map<number, CommandMessage>();
    forwardCommands(client, store, handling, pending).catch(() => client.destroy());
    forwardReplies(store, client, handling, pending).catch(() => client.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

async function forwardCommands(
  client: Socket,
  store: Socket,
  handling: CommandHandling,
  pending: Map<number, CommandMessage>,
): Promise<void> {
  for await (const message of messagesOf(client)) {
    const command = readCommand(message);
    const handled = command ? await handling.before(command) : "forward";
    // A client that was killed meanwhile never sent the command.
    if (client.destroyed) return;
    if (handled === "forward") {
      if (command) pending.set(command.requestId, command);
      store.write(message);
    } else client.write(handled);
  }
}

async function forwardReplies(
  store: Socket,
  client: Socket,
  handling: CommandHandling,
  pending: Map<number, CommandMessage>,
): Promise<void> {
  for await (const message of messagesOf(store)) {
    const requestId = answeredRequest(message);
    const command = pending.get(requestId);
    pending.delete(requestId);
    const handled = command ? await handling.after(command) : "forward";
    client.write(handled === "forward" ? message : handled);
  }
}
