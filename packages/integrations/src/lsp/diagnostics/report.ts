/** Diagnostics as a model and a user read them: grouped by file, short, with their positions. */
import { relative } from "node:path";

import { limits } from "../limits.ts";
import type { Problem } from "./new-diagnostics.ts";

/** Paths are relative to the working directory where they are below it. */
export function shownFile(cwd: string, path: string): string {
	const shown = relative(cwd, path);
	return shown === "" || shown.startsWith("..") ? path : shown;
}

export function problemRows(
	cwd: string,
	problems: readonly Problem[],
	most: number = limits.diagnostics,
): string {
	const rows: string[] = [];
	let file: string | undefined;
	for (const { path, line, column, severity, message, code } of problems.slice(0, most)) {
		if (path !== file) rows.push(shownFile(cwd, path));
		file = path;
		const kind = severity === "error" ? "" : `${severity}: `;
		rows.push(`  ${line}:${column} ${kind}${message}${code === undefined ? "" : ` ${code}`}`);
	}
	if (problems.length > most) rows.push(`  … and ${problems.length - most} more`);
	return rows.join("\n");
}

/** `2 errors, 1 warning`. */
export function problemCounts(problems: readonly Problem[]): string {
	const kinds = ["error", "warning", "info", "hint"] as const;
	return kinds
		.flatMap((kind) => {
			const count = problems.filter(({ severity }) => severity === kind).length;
			return count === 0 ? [] : [`${count} ${kind}${count === 1 || kind === "info" ? "" : "s"}`];
		})
		.join(", ");
}
