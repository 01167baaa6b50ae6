import { type ParkedRecord, parkedRoutesByService } from "@malipo/contracts";
import { command } from "../../command-line/command.ts";

export const parkedList = command({
  name: "parked list",
  about: "List what failed too often to be tried by itself any more, oldest first",
  example: "malipo parked list",
  args: {},
  options: {},
  run: async (_given, { api, print }) => {
    const answers = await Promise.all(
      Object.values(parkedRoutesByService).map(async ({ list }) => api.ask(list)),
    );
    print.list<ParkedRecord>(
      answers.flatMap(({ data }) => data).toSorted((one, other) => one.at.localeCompare(other.at)),
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
