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
  const seen = { text: "", error: "" };
  socket.on("data", (chunk: string) => {
    seen.text += chunk;
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    seen.error = error.code ?? "";
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return { socket, seen };
}

test("passes everything on", async () => {
  const { socket, seen } = await open();
  socket.write("one");
  await eventually(() => expect(seen.text).toBe("one"));
});

test("cuts what is open and takes new connections", async () => {
  const first = await open();
  first.socket.write("one");
  await eventually(() => expect(first.seen.text).toBe("one"));
  link.cut();
  await eventually(() => expect(first.seen.error).toBe("ECONNRESET"));
  const second = await open();
  second.socket.write("two");
  await eventually(() => expect(second.seen.text).toBe("two"));
});

test("refuses, and is there again", async () => {
  link.refuse(true);
  await expect(open()).rejects.toThrow("ECONNRESET");
  link.refuse(false);
  const taken = await open();
  taken.socket.write("one");
  await eventually(() => expect(taken.seen.text).toBe("one"));
});

test("swallows what is sent while silent", async () => {
  const { socket, seen } = await open();
  socket.write("one");
  await eventually(() => expect(seen.text).toBe("one"));
  link.silence(true);
  socket.write("two");
  await expect(eventually(() => seen.text !== "one", 100)).rejects.toThrow("Not true within");
  link.silence(false);
  socket.write("three");
  await eventually(() => expect(seen.text).toBe("onethree"));
  expect(seen.error).toBe("");
});

test("holds every piece up", async () => {
  link.delay(40);
  const { socket, seen } = await open();
  const sent = performance.now();
  socket.write("one");
  await eventually(() => expect(seen.text).toBe("one"));
  expect(performance.now() - sent).toBeGreaterThanOrEqual(79);
});
