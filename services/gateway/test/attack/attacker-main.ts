/** An attacker: keeps its sockets open, and opens new ones at a limited rate when they are closed. */
import { argv } from "node:process";
import { type AttackName, attacks } from "./attacks.ts";
import { openSocket } from "./hold-sockets.ts";

const attackerAddress = "127.0.0.9";
const tickMs = 20;
const openedPerTick = 6;

const [, , name, url = ""] = argv;
const { bytes, sockets, reads } = attacks[name as AttackName];
let open = 0;

setInterval(() => {
  for (let at = 0; at < openedPerTick && open < sockets; at += 1) {
    const socket = openSocket({ url, from: attackerAddress, bytes, sockets });
    open += 1;
    socket.once("close", () => (open -= 1));
    if (reads) socket.resume();
  }
}, tickMs);
