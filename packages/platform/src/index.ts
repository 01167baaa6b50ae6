import { two } from "@malipo/contracts";
console.log(two);
