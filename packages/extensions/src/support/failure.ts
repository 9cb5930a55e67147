/** Says what went wrong in an extension, with the file and the line. */
import { relative, sep } from "node:path";

import { cutUnits } from "@tau/utils";

import { limits } from "./limits.ts";

/** `what is wrong (file.ts:12)`; `path` is the extension's entry file. */
export function describeFailure(error: unknown, path: string): string {
	try {
		const message = messageOf(error);
		const place = placeOf(error, path);
		return cutUnits(place === undefined ? message : `${message} (${place})`, limits.errorChars);
	} catch {
		// The thrown value throws when it is read.
		return "It threw something that cannot be read.";
	}
}

function messageOf(error: unknown): string {
	if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
	if (error instanceof Error) return error.message || error.name;
	// What Bun throws for a mistake in the source is not always an Error.
	if (hasMessage(error)) return error.message;
	return String(error);
}

/** Where a mistake in the source is, or the first line of the extension in the trace. */
function placeOf(error: unknown, path: string): string | undefined {
	const first = error instanceof AggregateError ? error.errors[0] : error;
	const position = positionOf(first);
	if (position) return position;
	if (!(first instanceof Error)) return undefined;
	const folder = path.slice(0, path.lastIndexOf(sep) + 1);
	for (const line of first.stack?.split("\n") ?? []) {
		const [, file, at] =
			/\(?(\/[^():]+|[A-Za-z]:\\[^():]+)(?:\?[^():]*)?:(\d+)(?::\d+)?\)?\s*$/.exec(line) ?? [];
		if (file?.startsWith(folder) && !file.includes("/node_modules/"))
			return `${relative(folder, file)}:${at}`;
	}
	return undefined;
}

function positionOf(error: unknown): string | undefined {
	if (typeof error !== "object" || error === null || !("position" in error)) return undefined;
	const { position } = error;
	if (typeof position !== "object" || position === null || !("file" in position) || !("line" in position))
		return undefined;
	const { file, line } = position;
	if (typeof file !== "string" || typeof line !== "number") return undefined;
	return `${file.slice(file.lastIndexOf(sep) + 1).replace(/\?.*$/, "")}:${line}`;
}

function hasMessage(error: unknown): error is { message: string } {
	return (
		typeof error === "object" && error !== null && "message" in error && typeof error.message === "string"
	);
}
