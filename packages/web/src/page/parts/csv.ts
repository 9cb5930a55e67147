/** Tables in text: values with a separator between them. */

const mostColumns = 60;

/** Reads a table of comma-separated values: quoted cells may hold commas, quotes and lines. */
export function csvRows(
	text: string,
	separator: string,
	mostRows = 500,
): { head: string[]; rows: string[][]; left: number } {
	const all: string[][] = [];
	let [row, cell, isQuoted, left] = [[] as string[], "", false, 0];
	const endCell = (): void => {
		if (row.length < mostColumns) row.push(cell);
		cell = "";
	};
	const endRow = (): void => {
		endCell();
		if (row.length === 1 && row[0] === "") row = [];
		else if (all.length <= mostRows) all.push(row);
		else left++;
		row = [];
	};
	for (let at = 0; at < text.length; at++) {
		const char = text.charAt(at);
		if (isQuoted) {
			if (char !== '"') cell += char;
			else if (text.charAt(at + 1) === '"') {
				cell += char;
				at++;
			} else isQuoted = false;
		} else if (char === '"' && cell === "") isQuoted = true;
		else if (char === separator) endCell();
		else if (char === "\n") endRow();
		else if (char !== "\r") cell += char;
	}
	if (cell !== "" || row.length > 0) endRow();
	const [head = [], ...rows] = all;
	return { head, rows, left };
}
