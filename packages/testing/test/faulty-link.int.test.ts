import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { eventually, faultyLink, type FaultyLink } from "../src/index.ts";

let link: FaultyLink;

beforeEach(async () => {
  const echo = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(echo, "listening");
  link = await faultyLink({ port: (echo.address() as AddressInfo).port });
  onTestFinished(async () => {
    await link.close();
    echo.close();
  });
});

async function open() {
  const socket = connect(link.port, "127.0.0.1").setEncoding("utf8");
  const received = { text: "", error: "" };
  socket.on("data", (chunk: string) => {
    received.text += chunk;
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    received.error = error.code ?? "";
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return { socket, received };
}

test("a faulty link forwards bytes in both directions", async () => {
  const { socket, received } = await open();
  socket.write("one");
  await eventually(() => expect(received.text).toBe("one"));
});

test("cut breaks open connections and accepts new ones", async () => {
  const first = await open();
  first.socket.write("one");
  await eventually(() => expect(first.received.text).toBe("one"));
  link.cut();
  await eventually(() => expect(first.received.error).toBe("ECONNRESET"));
  const second = await open();
  second.socket.write("two");
  await eventually(() => expect(second.received.text).toBe("two"));
});

test("refuse rejects new connections until it is switched off", async () => {
  link.refuse(true);
  await expect(open()).rejects.toThrow("ECONNRESET");
  link.refuse(false);
  const taken = await open();
  taken.socket.write("one");
  await eventually(() => expect(taken.received.text).toBe("one"));
});

test("silence drops bytes and keeps the connection open", async () => {
  const { socket, received } = await open();
  socket.write("one");
  await eventually(() => expect(received.text).toBe("one"));
  link.silence(true);
  socket.write("two");
  await expect(eventually(() => received.text !== "one", 100)).rejects.toThrow("Not true within");
  link.silence(false);
  socket.write("three");
  await eventually(() => expect(received.text).toBe("onethree"));
  expect(received.error).toBe("");
});

test("delay holds up every chunk in both directions", async () => {
  link.delay(40);
  const { socket, received } = await open();
  const sent = performance.now();
  socket.write("one");
  await eventually(() => expect(received.text).toBe("one"));
  expect(performance.now() - sent).toBeGreaterThanOrEqual(79);
});
