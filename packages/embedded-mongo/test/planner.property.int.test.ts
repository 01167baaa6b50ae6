import { testPlanner } from "./support/planner-property.ts";

testPlanner({ numRuns: 60, seed: 20261121 });
