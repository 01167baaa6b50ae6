export { countParked, listParked, type ParkedPlace, parkedIndexOf, retryParked } from "./parked.ts";
export { compareIndex, compareParkedIndex, parkedComparisons } from "./pending-reconciliations.ts";
export { compareStep, countComparedFromZero, type Told } from "./reconcile.ts";
