import type { BusinessView, EventOf } from "@malipo/contracts";
import { newId } from "../src/mongo/index.ts";
import { cause } from "./notes.ts";

export function newView(name: string, _id = newId()): BusinessView {
  return {
    _id,
    name,
    plan: "free",
    limits: null,
    status: "active",
    settings: {
      displayname: name,
      feepercent: 0,
      feefixed: 0,
      duedays: 7,
      duedaysweekly: 3,
      partpayment: true,
    },
    createdat: cause.now.toISOString(),
    updatedat: cause.now.toISOString(),
  };
}

export function updated(seq: number, data: BusinessView): EventOf<"business.*"> {
  return {
    id: `evt_${newId()}`,
    type: "business.updated",
    seq,
    businessid: data._id,
    recordid: data._id,
    at: cause.now.toISOString(),
    data,
    inside: undefined,
  };
}
