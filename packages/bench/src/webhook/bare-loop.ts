import { Agent, request } from "undici";
import { cpuPerOperationDuring } from "../cpu.ts";
import { keepInFlight } from "../embedded-mongo/in-flight.ts";
import type { Contender } from "../rounds.ts";
import type { Receiver } from "./receiver.ts";

/** The same HTTP client with nothing around it: no record, no signature, no retry. */
export function bareLoop(
  name: string,
  receiver: Receiver,
  body: string,
  inFlight: number,
): Contender {
  const url = `${receiver.url}/counted`;
  const parts = [
    { name: "client", pid: process.pid },
    { name: "receiver", pid: receiver.pid },
  ];
  const dispatcher = new Agent({ pipelining: 1 });
  const headers = {
    "content-type": "application/json",
    "webhook-id": "evt_6743f1b2c9e8a45d3f0b7c23",
    "webhook-timestamp": "1795261260",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  const post = async (): Promise<void> => {
    const answer = await request(url, { method: "POST", headers, body, dispatcher });
    await answer.body.text();
  };
  return {
    name,
    measure: (seconds) => cpuPerOperationDuring(parts, () => keepInFlight(inFlight, seconds, post)),
  };
}
