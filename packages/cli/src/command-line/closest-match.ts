/** Finds the candidate that is close enough to be what a mistyped word meant. */
export function findClosestMatch(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(2, word.length / 3) ? best.candidate : undefined;
}

/** The number of letters to insert, delete, replace or swap with their neighbour. */
export function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        cellAt(previous, column) + 1,
        cellAt(current, column - 1) + 1,
        cellAt(previous, column - 1) + (isSame ? 0 : 1),
        isSwap ? cellAt(beforePrevious, column - 2) + 1 : Infinity,
      );
    }
    beforePrevious = previous;
    previous = current;
  }
  return cellAt(previous, to.length);
}

function cellAt(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
