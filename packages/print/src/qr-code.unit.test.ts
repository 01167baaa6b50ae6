import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { qrDataUri, qrModules, qrPng, qrSvg } from "./qr-code.ts";

const address = "http://127.0.0.1:8080/p/iabcdefghj";
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

/** Printed codes and API responses hold these images, so their bytes change only on purpose. */
describe("QR codes", () => {
  it("qrPng draws the pinned bytes", async () => {
    expect(sha256(await qrPng(address))).toBe(
      "b59ead35038704567d2f36f0de78517ce2d7329b5ad334395886a02cbca9d1e6",
    );
  });

  it("qrSvg draws the pinned bytes", async () => {
    expect(sha256(await qrSvg(address))).toBe(
      "c64c09f23680d6cdc970da0c7c770fda86f2c7ff6f860396c222b898c6b6959d",
    );
  });

  it("qrDataUri holds the pinned PNG", async () => {
    const uri = await qrDataUri(address);
    expect(uri).toMatch(/^data:image\/png;base64,/);
    expect(sha256(uri)).toBe("c2dc87ec47a36dc00b0f612a8a4a97d700f39fd960d5d51e2c14f479bc24323c");
  });

  it("qrModules are the rows of a square", () => {
    const rows = qrModules(address);
    expect(rows).toHaveLength(29);
    for (const row of rows) expect(row).toHaveLength(29);
    expect(sha256(Uint8Array.from(rows.flat(), Number))).toBe(
      "1dcb1f07c7ffe1fc456920d35ad9e036dd8cdb6f62d9a3c6db2efeec98dbe23f",
    );
  });
});
