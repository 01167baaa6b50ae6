/** Which nodes each node points to. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/**
 * The groups of nodes that can all reach each other: the strongly connected components with more
 * than one node, found by Tarjan's algorithm, and the nodes that point to themselves.
 */
export function findCircles(graph: Graph): string[][] {
  const circles: string[][] = [];
  const order = new Map<string, number>();
  const stack: string[] = [];
  const isOnStack = new Set<string>();

  function visit(node: string): number {
    const index = order.size;
    order.set(node, index);
    stack.push(node);
    isOnStack.add(node);
    let low = index;
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (isOnStack.has(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === index) closeComponent(node);
    return low;
  }

  function closeComponent(node: string): void {
    const component = stack.splice(stack.indexOf(node));
    for (const member of component) isOnStack.delete(member);
    const pointsToItself = graph.get(node)?.includes(node) === true;
    if (component.length > 1 || pointsToItself) circles.push(component.toSorted());
  }

  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return circles;
}
