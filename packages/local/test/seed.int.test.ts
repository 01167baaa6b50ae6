import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { seedOnce } from "../src/seed/seed.ts";
import { temporaryFolder } from "./fixtures.ts";

/** A stub of the gateway: returns consecutive ids, and 503 for the paths in `failing`. */
async function api() {
  const asked: string[] = [];
  const failing = new Set<string>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    response.statusCode = failing.has(path) ? 503 : 201;
    const data = { _id: `id${asked.length}`, secret: `sk_test_${asked.length}` };
    response.end(JSON.stringify({ success: !failing.has(path), data }));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, failing, addresses: { apiurl: url, operatorurl: url, operatorToken: "token" } };
}

const everything = [
  "/operator/business/create",
  "/operator/key/issue/id1",
  "/business/customer/create",
  "/business/product/create",
];

test("seedOnce creates each record once, and nothing when it is called again", async () => {
  const { seed } = temporaryFolder();
  const { asked, addresses } = await api();
  const first = await seedOnce(seed, addresses);
  expect(first).toEqual({
    businessid: "id1",
    secret: "sk_test_2",
    customerid: "id3",
    productid: "id4",
  });
  expect(await seedOnce(seed, addresses)).toEqual(first);
  expect(asked).toEqual(everything);
});

test.each(everything)("seedOnce continues at %s after that request failed", async (path) => {
  const { seed } = temporaryFolder();
  const { asked, failing, addresses } = await api();
  failing.add(path);
  await expect(seedOnce(seed, addresses)).rejects.toThrow(`${path} answered 503`);
  failing.clear();
  asked.pop();
  await seedOnce(seed, addresses);
  expect(asked).toEqual(everything);
});

test("seedOnce does not overwrite a seed file that it cannot read", async () => {
  const { seed } = temporaryFolder();
  const { addresses } = await api();
  writeFileSync(seed, '{"businessid": "id');
  await expect(seedOnce(seed, addresses)).rejects.toThrow(
    "--fresh deletes the data and starts again",
  );
  expect(readFileSync(seed, "utf8")).toBe('{"businessid": "id');
});
