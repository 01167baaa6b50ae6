/** The service behind the hand-written baselines: answers every request with the same bytes. */
import { connect } from "@nats-io/transport-node";
import { announceReady } from "../announce-ready.ts";

const [servers = "", subject = "", reply = ""] = process.argv.slice(2);
const connection = await connect({ servers, noAsyncTraces: true });
const answer = new TextEncoder().encode(reply);
connection.subscribe(subject, {
  queue: "echo",
  callback: (error, message) => {
    if (error === null) message.respond(answer);
  },
});
await connection.flush();
announceReady({});
