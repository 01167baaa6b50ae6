import { get } from "node:http";
import { connect } from "node:net";

const probeTimeoutMs = 1000;

/** Returns a check that succeeds when a server listens on the port. */
export function probePort(port: number): () => Promise<boolean> {
  return () =>
    new Promise((resolve) => {
      const socket = connect({ port, host: "127.0.0.1", timeout: probeTimeoutMs });
      const finish = (isReady: boolean): void => {
        socket.destroy();
        resolve(isReady);
      };
      socket.once("connect", () => finish(true));
      socket.once("timeout", () => finish(false));
      socket.once("error", () => finish(false));
    });
}

/** Returns a check that succeeds when `/readyz` answers 200. */
export function probeReadyz(healthPort: number): () => Promise<boolean> {
  const address = { port: healthPort, host: "127.0.0.1", path: "/readyz", agent: false };
  return () =>
    new Promise((resolve) => {
      const request = get({ ...address, timeout: probeTimeoutMs }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      });
      request.once("timeout", () => request.destroy());
      request.once("error", () => resolve(false));
      request.once("close", () => resolve(false));
    });
}
