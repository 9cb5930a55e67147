/** The rules and the answer by which stream rules are measured. */
export const answerChars = 200_000;
export const deltas = 4000;
export const rules = 200;

const shapes: readonly ((n: number) => string)[] = [
	(n) => `legacyCall${n}\\(`,
	(n) => `import .* from ['"]package-${n}['"]`,
	(n) => `(?i)\\bdeprecated${n}\\b`,
	(n) => `new Thing${n}\\([^)]*\\)(?!;)`,
	// The word of one does occur in the text, so that it is followed.
	(n) => (n === 4 ? `settle\\(\\d` : `(?:old|former)Helper${n}`),
];

export function conditionOf(n: number): string {
	return shapes[n % shapes.length]?.(n) ?? "";
}

export function answer(): string {
	const line =
		"The parser reads each line once, keeps what is finished and lays out the open block; see layout.ts.\n";
	const code =
		"export function settle(rows: readonly string[]): string[] { return rows.map((row) => row.trim()); }\n";
	return `${line}${code}\n`
		.repeat(Math.ceil(answerChars / (line.length + code.length)))
		.slice(0, answerChars);
}
