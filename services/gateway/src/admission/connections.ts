import type { Server } from "node:http";
import type { Socket } from "node:net";
import { limitKeyOf } from "../domain/client-address.ts";
import type { IsTrustedProxy } from "./trusted-proxies.ts";

/**
 * Closes connections of an address beyond its maximum, because a connection costs memory without a
 * request too. The connections of a trusted proxy are those of many clients, so they do not count.
 */
export function limitConnections(
  server: Server,
  perAddressMax: number,
  isTrustedProxy: IsTrustedProxy,
): void {
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress = "" } = socket;
    if (isTrustedProxy(remoteAddress)) return;
    const key = limitKeyOf(remoteAddress);
    const count = open.get(key) ?? 0;
    if (count >= perAddressMax) {
      socket.destroy();
      return;
    }
    open.set(key, count + 1);
    socket.once("close", () => {
      const rest = (open.get(key) ?? 1) - 1;
      if (rest > 0) open.set(key, rest);
      else open.delete(key);
    });
  });
}
