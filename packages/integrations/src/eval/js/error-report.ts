/** What a cell that failed prints: the error with its lines of cells, its cause, and the errors inside of it. */

/** An error may be its own cause, and hold as many errors as promises were awaited. */
const reported = { depth: 5, errors: 10 };

interface Report {
	text: string;
	message: string;
	line: number | undefined;
}

export function fileOf(id: number): string {
	return `cell-${id}.js`;
}

export function errorReport(error: unknown, id: number, code: string, depth = 0): Report {
	const line = lineOf(error, id);
	const source = line === undefined ? undefined : code.split("\n")[line - 1];
	const at = source === undefined ? "" : `  at line ${line} of cell ${id}: ${source.trim()}\n`;
	const message = messageOf(error);
	const inner = depth < reported.depth ? innerErrors(error) : [];
	const more = inner.map(
		([label, each]) => `${label}${errorReport(each, id, code, depth + 1).text.trimEnd()}`,
	);
	const indented = more.map((text) => `${text.replaceAll(/^/gm, "  ")}\n`).join("");
	return { text: `${message}\n${at}${stackOf(error, id)}${indented}`, message, line };
}

function messageOf(error: unknown): string {
	if (!(error instanceof Error)) return `Thrown: ${Bun.inspect(error)}`;
	return error.message === "" ? error.name : `${error.name}: ${error.message}`;
}

function innerErrors(error: unknown): [label: string, error: unknown][] {
	if (!(error instanceof Error)) return [];
	const inner: [string, unknown][] = [];
	if (error.cause !== undefined) inner.push(["Caused by ", error.cause]);
	if (error instanceof AggregateError) {
		const { errors } = error;
		for (const [at, each] of errors.slice(0, reported.errors).entries()) inner.push([`${at + 1}. `, each]);
		const left = errors.length - reported.errors;
		if (left > 0) inner.push(["", new Error(`${left} more are not shown.`)]);
	}
	if (error instanceof SuppressedError) inner.push(["1. ", error.error], ["2. ", error.suppressed]);
	return inner;
}

function lineOf(error: unknown, id: number): number | undefined {
	if (!(error instanceof Error)) return undefined;
	// Of acorn.
	if ("loc" in error && typeof error.loc === "object" && error.loc && "line" in error.loc)
		return Number(error.loc.line);
	const match = new RegExp(`${fileOf(id).replace(".", "\\.")}:(\\d+)`).exec(error.stack ?? "");
	return match ? Number(match[1]) : undefined;
}

/** The frames of cells; those of the runner are of no use to anyone. */
function stackOf(error: unknown, id: number): string {
	const frames = error instanceof Error ? (error.stack ?? "").split("\n") : [];
	const inside = frames.filter((frame) => /cell-\d+\.js:\d+/.test(frame) && /^\s*at /.test(frame));
	return inside.length > 1 || (inside[0] !== undefined && !inside[0].includes(fileOf(id)))
		? `${inside.join("\n")}\n`
		: "";
}
