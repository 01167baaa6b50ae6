import { double, toDouble } from "../../values/numbers/numbers.ts";
import { type CompileOperator, isNullish, positional, requireNumber } from "../operator.ts";

function trigonometry(name: string, compute: (value: number) => number): CompileOperator {
  return positional(1, 1, (value) =>
    isNullish(value) ? null : double(compute(toDouble(requireNumber(name, value)))),
  );
}

const functions: Readonly<Record<string, (value: number) => number>> = {
  $sin: Math.sin,
  $cos: Math.cos,
  $tan: Math.tan,
  $asin: Math.asin,
  $acos: Math.acos,
  $atan: Math.atan,
  $degreesToRadians: (degrees) => (degrees * Math.PI) / 180,
  $radiansToDegrees: (radians) => (radians * 180) / Math.PI,
};

export const trigonometryOperators: Readonly<Record<string, CompileOperator>> = Object.fromEntries(
  Object.entries(functions).map(([name, compute]) => [name, trigonometry(name, compute)]),
);
