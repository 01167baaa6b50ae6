import { parser } from "@prometheus-io/lezer-promql";

interface Label {
  readonly name: string;
  /** The value, when the query compares with `=`. */
  readonly value?: string;
}

interface Selector {
  readonly metric: string;
  readonly labels: readonly Label[];
}

interface Query {
  /** Syntax errors, and functions that get an instant vector in place of a range vector or the reverse. */
  readonly problems: readonly string[];
  readonly selectors: readonly Selector[];
  /** The labels that remain of each aggregation. */
  readonly groupings: readonly (readonly string[])[];
}

type Node = ReturnType<ReturnType<typeof parser.parse>["topNode"]["getChildren"]>[number];

/** Functions that take a range vector. */
const rangeFunctions = /^(rate|irate|increase|delta|idelta|deriv|changes|resets|\w+_over_time)$/;

/** Parses a query with the grammar of Prometheus's own editor. */
export function readQuery(expr: string): Query {
  const problems: string[] = [];
  const selectors: Selector[] = [];
  const groupings: string[][] = [];
  const textOf = ({ from, to }: Pick<Node, "from" | "to">) => expr.slice(from, to);
  parser.parse(expr).iterate({
    enter: ({ node, type }) => {
      if (type.isError) problems.push(`not PromQL at ${node.from}: ${expr.slice(node.from)}`);
      else if (type.name === "VectorSelector") selectors.push(readSelector(node, textOf));
      else if (type.name === "AggregateExpr") {
        const labels = node.getChild("AggregateModifier")?.getChild("GroupingLabels");
        groupings.push(labels?.getChildren("LabelName").map(textOf) ?? []);
      } else if (type.name === "FunctionCall") {
        const name = textOf(node.getChild("FunctionIdentifier") ?? node);
        const hasRange = node.getChild("FunctionCallBody")?.getChild("MatrixSelector") != null;
        if (rangeFunctions.test(name) !== hasRange)
          problems.push(`wrong vector type for ${name}: ${textOf(node)}`);
      }
    },
  });
  return { problems, selectors, groupings };
}

function readSelector(node: Node, textOf: (node: Node) => string): Selector {
  const matchers = node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? [];
  const labels = matchers.map((matcher) => {
    const [name, sign, value] = ["LabelName", "MatchOp", "StringLiteral"].map((part) => {
      const child = matcher.getChild(part);
      return child ? textOf(child) : "";
    });
    return { name: name ?? "", ...(sign === "=" && { value: value?.slice(1, -1) ?? "" }) };
  });
  const identifier = node.getChild("Identifier");
  return { metric: identifier ? textOf(identifier) : "", labels };
}
