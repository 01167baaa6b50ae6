import { allRoutes, type Route } from "@malipo/contracts";
import { type ApiAnswer, call, dataOf, idIn, makeBusiness, useSystem } from "@malipo/testing";
import { beforeAll, describe, expect, it } from "vitest";

const system = useSystem(["invoice"]);
const { api } = system;

const ours = allRoutes.filter(
  ({ audience, service }) => audience === "public" && service === "invoice",
);
const named = (routes: readonly Route[]) =>
  routes.map((route) => [`${route.method} ${route.path}`, route] as const);

let other: string;
/** The ids of one record of each kind, of the first business. */
const records: Record<string, string> = {};

beforeAll(async () => {
  other = (await makeBusiness(system.gateway())).secret;
  const create = async (noun: string, body: object) => {
    records[noun] = idIn(await api("POST", `/business/${noun}/create`, body));
  };
  await create("product", { title: "Sukari", price: 200 });
  await create("customer", { name: "Asha" });
  await create("tax", { title: "VAT", rate: 16 });
  const items = [{ itemid: records["product"], quantity: 1, rate: 200 }];
  await create("invoice", { customerid: records["customer"], items, duedate: "2030-01-31" });
});

const asOther = async (method: string, path: string, body?: object): Promise<ApiAnswer> =>
  call(system.gateway().apiUrl + path, method, other, body);

function pathOf({ path, params }: Route): string {
  const id = records[params["id"] ?? ""];
  if (id === undefined) throw new Error(`no ${params["id"] ?? "record"} was created for ${path}`);
  return path.replace(":id", id);
}

describe("the records of another business", () => {
  const single = ours.filter(({ params }) => "id" in params);

  it.each(named(single))("are not found and not changed by %s", async (_name, route) => {
    const details = `/business/${route.params["id"] ?? ""}/details/${pathOf(route).split("/").at(-1) ?? ""}`;
    const before = dataOf(await api("GET", details));
    const body = route.method === "GET" ? undefined : { title: "Mine", name: "Mine" };
    const answer = await asOther(route.method, pathOf(route), body);
    expect([answer.status, answer.body["code"]]).toEqual([404, "not_found"]);
    expect(dataOf(await api("GET", details))).toEqual(before);
  });

  const lists = ours.filter(({ reply }) => reply.paging !== undefined);

  it.each(named(lists))("are not listed by %s", async (_name, route) => {
    const { body } = await asOther("GET", route.path);
    expect(body).toMatchObject({ data: [], [route.reply.paging ?? ""]: { total: 0 } });
    expect((await api("GET", route.path)).body["data"]).not.toEqual([]);
  });

  it("are not found when a body names them", async () => {
    const [customer, product, tax] = await Promise.all([
      asOther("POST", "/business/customer/create", { name: "Juma" }),
      asOther("POST", "/business/product/create", { title: "Chai", price: 20 }),
      asOther("POST", "/business/tax/create", { title: "VAT", rate: 16 }),
    ]);
    const own = { customer: idIn(customer), product: idIn(product), tax: idIn(tax) };
    for (const [noun, text] of [
      ["customer", "Customer not found in this business"],
      ["product", `product not found: ${records["product"] ?? ""}`],
      ["tax", "Tax not found"],
    ] as const) {
      const used = { ...own, [noun]: records[noun] };
      const answer = await asOther("POST", "/business/invoice/create", {
        customerid: used.customer,
        items: [{ itemid: used.product, quantity: 1, rate: 1 }],
        taxid: used.tax,
        duedate: "2030-01-31",
      });
      expect([answer.status, answer.body["error"]]).toEqual([404, text]);
    }
  });
});
