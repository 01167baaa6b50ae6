import { randomBytes } from "node:crypto";
import {
  call,
  dataOf,
  eventually,
  idIn,
  makeBusiness,
  readEvents,
  useSystem,
} from "@malipo/testing";
import { ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";

const system = useSystem(["invoice"]);
const { api } = system;

async function eventsOf(id: string) {
  const events = await readEvents(system.servers);
  return events.filter(({ recordid }) => recordid === id);
}

describe("products", () => {
  it("are created, read and listed", async () => {
    const created = await api("POST", "/business/product/create", {
      title: " Unga 2kg ",
      price: 189.5,
      description: "Maize flour",
      colour: "white",
    });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      success: true,
      message: "Product created successfully",
      data: {
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        title: "Unga 2kg",
        price: 189.5,
        description: "Maize flour",
        createdat: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        updatedat: dataOf(created)["createdat"],
      },
    });
    const read = await api("GET", `/business/product/details/${idIn(created)}`);
    expect([read.status, read.body]).toEqual([200, { success: true, data: created.body["data"] }]);
  });

  it.each([
    [{ price: 10 }, "title is required"],
    [{ title: "x" }, "price is required"],
    [{ title: "x", price: "10" }, "price must be a number"],
    [{ title: "x", price: 10.001 }, "price must have at most two decimals"],
    [{ title: "x", price: -1 }, "price must not be negative"],
    [{ title: "x", price: 1e14 }, "price is too large"],
    [{ title: "", price: 10 }, "title must not be empty"],
    [{ title: "x".repeat(201), price: 10 }, "title must be at most 200 characters long"],
    [{ title: { $gt: "" }, price: 10 }, "title must be a string"],
  ])("refuse %j: %s", async (body, text) => {
    const answer = await api("POST", "/business/product/create", body);
    expect([answer.status, answer.body["error"]]).toEqual([400, text]);
    expect(answer.body["fields"]).toEqual([
      { path: text.split(" ")[0], problem: text.split(" ").slice(1).join(" ") },
    ]);
  });

  it("change only in the fields that a PATCH sends, and send an event for each change", async () => {
    const created = await api("POST", "/business/product/create", {
      title: "Mchele",
      price: 210,
      description: "Pishori",
    });
    const path = `/business/product/update/${idIn(created)}`;
    const dearer = await api("PATCH", path, { price: 0.5 });
    expect([dearer.status, dearer.body["message"]]).toEqual([200, "Product updated successfully"]);
    expect(dataOf(dearer)).toMatchObject({ title: "Mchele", price: 0.5, description: "Pishori" });
    const bare = await api("PATCH", path, { title: "Mchele 5kg", description: null });
    expect(dataOf(bare)).toMatchObject({ title: "Mchele 5kg", price: 0.5, description: null });
    expect(dataOf(await api("GET", `/business/product/details/${idIn(created)}`))).toEqual(
      dataOf(bare),
    );
    await eventually(async () => {
      const events = await eventsOf(idIn(created));
      expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
        { type: "product.created", data: dataOf(created) },
        { type: "product.updated", data: dataOf(dearer) },
        { type: "product.updated", data: dataOf(bare) },
      ]);
    });
    const refused = await api("PATCH", path, { title: null });
    expect([refused.status, refused.body["error"]]).toEqual([400, "title must be a string"]);
  });

  it("are listed newest first, 10 a page by default and 100 at most", async () => {
    const other = await makeBusiness(system.gateway());
    const list = async (query: string) =>
      call(`${system.gateway().apiUrl}/business/product/list${query}`, "GET", other.secret);
    for (let index = 1; index <= 12; index += 1) {
      await call(`${system.gateway().apiUrl}/business/product/create`, "POST", other.secret, {
        title: `P${index}`,
        price: index,
      });
    }
    const titles = ({ body }: Awaited<ReturnType<typeof list>>) =>
      (body["data"] as { title: string }[]).map(({ title }) => title);
    const first = await list("");
    expect(first.body["meta"]).toEqual({ total: 12, page: 1, limit: 10, pages: 2 });
    expect(titles(first)).toEqual(Array.from({ length: 10 }, (_, index) => `P${12 - index}`));
    expect(titles(await list("?page=2"))).toEqual(["P2", "P1"]);
    expect((await list("?limit=500")).body["meta"]).toEqual({
      total: 12,
      page: 1,
      limit: 100,
      pages: 1,
    });
    expect((await list("?page=9")).body).toMatchObject({ data: [], meta: { total: 12, page: 9 } });
    for (const query of [
      "?page=0",
      "?page=-1",
      "?limit=0",
      "?limit=x",
      "?page=1&page=2",
      "?page=2000&limit=100",
      "?page=%F0%9F",
    ]) {
      expect({ query, status: (await list(query)).status }).toEqual({ query, status: 400 });
    }
  });

  it("give the business the date of its first product at the gateway", async () => {
    const other = await makeBusiness(system.gateway());
    const details = async () =>
      dataOf(await system.operator("GET", `/operator/business/details/${other.businessid}`));
    expect((await details())["firstproductat"]).toBeNull();
    const create = async (title: string) =>
      call(`${system.gateway().apiUrl}/business/product/create`, "POST", other.secret, {
        title,
        price: 1,
      });
    const first = await create("first");
    await create("second");
    await eventually(async () =>
      expect((await details())["firstproductat"]).toBe(dataOf(first)["createdat"]),
    );
  });
});

describe("customers", () => {
  it("are created, read, changed and listed", async () => {
    const created = await api("POST", "/business/customer/create", {
      name: "Asha Mwangi",
      email: "asha@example.co.ke",
      phone: "254712345678",
    });
    expect([created.status, created.body["message"]]).toEqual([
      201,
      "Customer created successfully",
    ]);
    const path = `/business/customer/update/${idIn(created)}`;
    const changed = await api("PATCH", path, { phone: null, name: "Asha W. Mwangi" });
    expect([changed.status, changed.body["message"]]).toEqual([
      200,
      "Customer updated successfully",
    ]);
    expect(dataOf(changed)).toMatchObject({
      name: "Asha W. Mwangi",
      email: "asha@example.co.ke",
      phone: null,
    });
    const read = await api("GET", `/business/customer/details/${idIn(created)}`);
    expect(dataOf(read)).toEqual({ ...dataOf(changed), credit: 0 });
    const listed = await api("GET", "/business/customer/list?limit=1");
    expect(listed.body["data"]).toEqual([dataOf(changed)]);
  });

  it("send an event for each change, in order", async () => {
    const created = await api("POST", "/business/customer/create", { name: "Asha" });
    const path = `/business/customer/update/${idIn(created)}`;
    const changed = await api("PATCH", path, { name: "Asha W." });
    await eventually(async () => {
      const events = await eventsOf(idIn(created));
      expect(events.map(({ type, seq, data }) => ({ type, seq, data }))).toEqual([
        { type: "customer.created", seq: 1, data: dataOf(created) },
        { type: "customer.updated", seq: 2, data: dataOf(changed) },
      ]);
    });
  });

  it.each([
    [{}, "name is required"],
    [{ name: "A", phone: "0712345678" }, "Invalid phone number format"],
    [{ name: "A", phone: 254712345678 }, "Invalid phone number format"],
    [{ name: "A", email: "asha" }, "email must be an email address"],
  ])("refuse %j: %s", async (body, text) => {
    const answer = await api("POST", "/business/customer/create", body);
    expect([answer.status, answer.body["error"]]).toEqual([400, text]);
  });

  it("have the state of one accepted change after 10 concurrent ones", async () => {
    const created = await api("POST", "/business/customer/create", { name: "Nobody" });
    const path = `/business/customer/update/${idIn(created)}`;
    const changes = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => api("PATCH", path, { name: `Name ${index}` })),
    );
    const taken = changes
      .filter(({ status }) => status === 200)
      .map((answer) => dataOf(answer)["name"]);
    expect(changes.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const read = await api("GET", `/business/customer/details/${idIn(created)}`);
    expect(taken).toContain(dataOf(read)["name"]);
  });
});

describe("taxes", () => {
  it("are created, read, changed and listed", async () => {
    const created = await api("POST", "/business/tax/create", { title: "VAT", rate: 16.25 });
    expect([created.status, created.body["message"]]).toEqual([201, "Tax created successfully"]);
    expect(dataOf(created)).toMatchObject({ title: "VAT", rate: 16.25 });
    const changed = await api("PATCH", `/business/tax/update/${idIn(created)}`, { rate: 16 });
    expect([changed.status, changed.body["message"]]).toEqual([200, "Tax updated successfully"]);
    expect(dataOf(changed)).toMatchObject({ title: "VAT", rate: 16 });
    const read = await api("GET", `/business/tax/details/${idIn(created)}`);
    expect(dataOf(read)).toEqual(dataOf(changed));
    const listed = await api("GET", "/business/tax/list?limit=1");
    expect(listed.body).toMatchObject({ data: [dataOf(changed)], meta: { page: 1, limit: 1 } });
    await eventually(async () => {
      const events = await eventsOf(idIn(created));
      expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
        { type: "tax.created", data: dataOf(created) },
        { type: "tax.updated", data: dataOf(changed) },
      ]);
    });
  });

  it.each([
    [{ rate: 16 }, "title is required"],
    [{ title: "VAT" }, "rate is required"],
    [{ title: "VAT", rate: "16" }, "rate must be a number"],
    [{ title: "VAT", rate: -1 }, "rate must be from 0 to 100"],
    [{ title: "VAT", rate: 100.01 }, "rate must be from 0 to 100"],
    [{ title: "VAT", rate: 16.005 }, "rate must have at most two decimals"],
  ])("refuse %j: %s", async (body, text) => {
    const answer = await api("POST", "/business/tax/create", body);
    expect([answer.status, answer.body["error"]]).toEqual([400, text]);
  });

  it("answer their own texts for a missing record and a malformed id", async () => {
    const missing = await api("GET", "/business/tax/details/507f1f77bcf86cd799439011");
    expect([missing.status, missing.body["error"]]).toEqual([404, "Tax not found"]);
    const malformed = await api("GET", "/business/tax/details/1");
    expect([malformed.status, malformed.body["error"]]).toEqual([400, "Invalid tax ID"]);
  });
});

describe("a search", () => {
  it("finds customers by words and by the first digits of a phone, newest first", async () => {
    const other = await makeBusiness(system.gateway());
    const url = `${system.gateway().apiUrl}/business/customer`;
    const ask = async (method: string, path: string, body?: unknown) =>
      call(`${url}${path}`, method, other.secret, body);
    const asha = await ask("POST", "/create", { name: "Asha Wanjiru", phone: "254712345678" });
    await ask("POST", "/create", { name: "Brian Otieno", email: "brian@wanjiru.co.ke" });
    await ask("POST", "/create", { name: "ASHA Njeri" });
    const found = async (search: string) => {
      const { body } = await ask("GET", `/list?search=${encodeURIComponent(search)}`);
      const names = (body["data"] as { name: string }[]).map(({ name }) => name);
      expect(body["meta"]).toMatchObject({ total: names.length });
      return names;
    };
    expect(await found("asha")).toEqual(["ASHA Njeri", "Asha Wanjiru"]);
    expect(await found("wanjiru ASHA")).toEqual(["Asha Wanjiru"]);
    expect(await found("wanjiru")).toEqual(["Brian Otieno", "Asha Wanjiru"]);
    expect(await found("0712")).toEqual(["Asha Wanjiru"]);
    expect(await found("254712")).toEqual(["Asha Wanjiru"]);
    expect(await found("wanj")).toEqual([]);
    expect(await found("?!")).toEqual([]);
    expect(await found(" ")).toHaveLength(3);
    await ask("PATCH", `/update/${idIn(asha)}`, { name: "Asha Kamau", phone: null });
    expect(await found("wanjiru asha")).toEqual([]);
    expect(await found("0712")).toEqual([]);
    expect(await found("kamau")).toEqual(["Asha Kamau"]);
  });

  it("finds only the business's own products, by words of title and description", async () => {
    await api("POST", "/business/product/create", { title: "Sukari nyeupe", price: 1 });
    await api("POST", "/business/product/create", {
      title: "Chai",
      description: "Tamu bila sukari",
      price: 1,
    });
    const { body } = await api("GET", "/business/product/list?search=SUKARI&limit=1&page=2");
    expect(body).toMatchObject({ data: [{ title: "Sukari nyeupe" }], meta: { total: 2 } });
    const other = await makeBusiness(system.gateway());
    const list = `${system.gateway().apiUrl}/business/product/list?search=sukari`;
    expect((await call(list, "GET", other.secret)).body["data"]).toEqual([]);
    const long = await api("GET", `/business/product/list?search=${"x".repeat(101)}`);
    expect([long.status, long.body["error"]]).toEqual([
      400,
      "search must be at most 100 characters long",
    ]);
  });
});

describe("an event that a crash left unpublished", () => {
  it.each([
    ["products", "product", { title: "Unga", price: 189.5 }],
    ["customers", "customer", { name: "Asha" }],
    ["taxes", "tax", { title: "VAT", rate: 16 }],
  ] as const)("is published by the sweep (%s)", async (collection, noun, body) => {
    const created = await api("POST", `/business/${noun}/create`, body);
    const records = system.database("invoice").collection(collection);
    const kept = await records.findOne({ "events.data._id": idIn(created) });
    if (!kept) throw new Error("it was created");
    // A second record, as if a process had crashed between the write and the publication.
    const { _id, events, ...fields } = kept;
    const book = randomBytes(8).toString("hex");
    const ticket = new ObjectId(`${book}00000001`);
    await system
      .database("invoice")
      .collection<{ _id: string; upto: number; at: Date }>("ticketbooks")
      .insertOne({
        _id: book,
        upto: 0,
        at: new Date(Date.now() - 10_000),
      });
    const { insertedId } = await records.insertOne({
      ...fields,
      ticket,
      events: events.map((event: object) => ({
        ...event,
        id: `evt_${collection}`,
        at: new Date(Date.now() - 60_000),
      })),
    });
    await eventually(async () => {
      expect(await eventsOf(insertedId.toHexString())).toHaveLength(1);
      expect(await records.findOne({ _id: insertedId })).toMatchObject({ published: 1 });
    }, 15_000);
  });
});
