/** A position in a text: the line, and the column in UTF-16 units. */
export interface Position {
	readonly line: number;
	readonly col: number;
}

export function comparePositions(a: Position, b: Position): number {
	return a.line - b.line || a.col - b.col;
}

/** The earlier and the later of two positions. */
export function inOrder(a: Position, b: Position): [Position, Position] {
	return comparePositions(a, b) <= 0 ? [a, b] : [b, a];
}
