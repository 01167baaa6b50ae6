export { countParked, listParked, type ParkedPlace, parkedIndexOf, retryParked } from "./parked.ts";
export {
  reconciliationIndex,
  parkedReconciliationIndex,
  parkedReconciliations,
} from "./pending-reconciliations.ts";
export { reconcileStep, startReconciliationCounters, type ReconciledEvent } from "./reconcile.ts";
