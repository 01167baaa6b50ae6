import { type ParkedRecord, parkedRoutesByService } from "@malipo/contracts";
import { defineCommand } from "../../command-line/command.ts";

export const parkedList = defineCommand({
  name: "parked list",
  description: "List records that failed too often and are no longer retried, oldest first",
  example: "malipo parked list",
  args: {},
  options: {},
  run: async (_input, { api, printer }) => {
    const results = await Promise.all(
      Object.values(parkedRoutesByService).map(async ({ list }) => api.call(list)),
    );
    printer.list<ParkedRecord>(
      results.flatMap(({ data }) => data).toSorted((one, other) => one.at.localeCompare(other.at)),
      [
        { heading: "SERVICE", cell: ({ service }) => service },
        { heading: "ID", cell: ({ _id }) => _id },
        { heading: "BUSINESS", cell: ({ businessid }) => businessid },
        { heading: "SINCE", cell: ({ at }) => at },
        { heading: "TRIES", cell: ({ tries }) => tries },
        { heading: "REASON", cell: ({ reason }) => reason },
      ],
      "Nothing is parked.",
    );
  },
});
