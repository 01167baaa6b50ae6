import { one } from "@malipo/core";
export const two: number = one + 1;
