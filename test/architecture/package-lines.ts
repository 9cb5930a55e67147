/** Counts the lines of each package, and writes them into the table of docs/architecture.md. */
import { homeOf } from "./modules.ts";
import { isTest, isTestingCode } from "./paths.ts";
import { codeTokens, tokenize } from "./tokens.ts";
import { readFiles } from "./tree.ts";

export const packagesPage = "docs/architecture.md";

/** Lines of TypeScript below `src` without tests, by package. */
export async function packageLines(root: string): Promise<Map<string, number>> {
	const files = await readFiles(
		root,
		(path) => /^packages\/[^/]+\/src\/.+\.tsx?$/.test(path) && !isTest(path),
	);
	const lines = new Map<string, number>();
	for (const { path, text } of files) {
		const home = homeOf(path) ?? "";
		lines.set(home, (lines.get(home) ?? 0) + text.split("\n").length - 1);
	}
	return lines;
}

/** Lines of a package that do something, its scripts for Redis included. */
export async function workingLines(root: string, name: string): Promise<number> {
	const files = await readFiles(
		root,
		(path) =>
			path.startsWith(`packages/${name}/src/`) &&
			/\.(?:ts|lua)$/.test(path) &&
			!isTest(path) &&
			!isTestingCode(path),
	);
	return files.reduce((sum, { path, text }) => sum + (path.endsWith(".lua") ? luaLines : codeLines)(text), 0);
}

function codeLines(text: string): number {
	return new Set(codeTokens(tokenize(text)).map(({ line }) => line)).size;
}

function luaLines(text: string): number {
	return text.split("\n").filter((line) => !/^\s*(?:--.*)?$/.test(line)).length;
}

/** A row of the table: `| `name` | what it owns | 12,300 |`. */
const row = /^(\| `([\w-]+)` \|.*\| )([\d,]+)( \|)$/gm;

/** The lines that the page names, by package. */
export function writtenLines(page: string): Map<string, number> {
	return new Map(
		[...page.matchAll(row)].map(([, , name = "", lines = ""]) => [name, Number(lines.replaceAll(",", ""))]),
	);
}

/** Rounded to hundreds: the page does not change with every commit. */
export function withLines(page: string, lines: ReadonlyMap<string, number>): string {
	return page.replace(row, (_, before: string, name: string, _old: string, after: string) => {
		const rounded = Math.round((lines.get(name) ?? 0) / 100) * 100;
		return `${before}${rounded.toLocaleString("en-US")}${after}`;
	});
}
