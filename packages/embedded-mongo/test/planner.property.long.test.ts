import { testPlanner } from "./support/planner-property.ts";

testPlanner({ numRuns: 5_000 });
