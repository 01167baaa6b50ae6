import { get } from "node:http";
import { connect } from "node:net";

const answerWithinMs = 1000;

/** Ready when something listens. */
export function probePort(port: number): () => Promise<boolean> {
  return () =>
    new Promise((resolve) => {
      const socket = connect({ port, host: "127.0.0.1", timeout: answerWithinMs });
      const settle = (answer: boolean): void => {
        socket.destroy();
        resolve(answer);
      };
      socket.once("connect", () => settle(true));
      socket.once("timeout", () => settle(false));
      socket.once("error", () => settle(false));
    });
}

/** Ready when the health server says so. */
export function probeReadyz(healthPort: number): () => Promise<boolean> {
  const address = { port: healthPort, host: "127.0.0.1", path: "/readyz", agent: false };
  return () =>
    new Promise((resolve) => {
      const request = get({ ...address, timeout: answerWithinMs }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      });
      request.once("timeout", () => request.destroy());
      request.once("error", () => resolve(false));
      request.once("close", () => resolve(false));
    });
}
