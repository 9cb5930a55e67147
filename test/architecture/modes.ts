/** The rules inside the application: modes do not import each other, only the CLI reads arguments. */
import { isTest } from "./paths.ts";
import { codeTokens, tokenize } from "./tokens.ts";
import type { Module } from "./modules.ts";
import type { Problem } from "./problem.ts";

const application = "packages/coding-agent/src/";

export function modeProblems(module: Module): Problem[] {
	return [...crossModeImports(module), ...argumentReaders(module)];
}

function crossModeImports({ path, links }: Module): Problem[] {
	const [folder = "", inner = ""] = inside(path) ?? [];
	return links.flatMap(({ target, line, specifier }): Problem[] => {
		const [other = "", otherInner = ""] = inside(target ?? "") ?? [];
		if (folder !== "modes" || other !== "modes" || !isFolder(inner) || !isFolder(otherInner)) return [];
		if (inner === otherInner) return [];
		const message = `mode ${inner} imports mode ${otherInner} ("${specifier}"): move what they share to a file of modes/`;
		return [{ file: path, line, message }];
	});
}

function argumentReaders({ path, text }: Module): Problem[] {
	if (!path.startsWith("packages/") || isTest(path) || isStarted(path) || !text.includes("argv")) return [];
	const tokens = codeTokens(tokenize(text));
	return tokens.flatMap((token, index): Problem[] => {
		const owner = tokens[index - 2]?.text ?? "";
		const argv = token.text === "argv" && tokens[index - 1]?.text === "." && /^(?:process|Bun)$/.test(owner);
		const message = `only cli/ reads ${owner}.argv: take what you need as a parameter`;
		return argv ? [{ file: path, line: token.line, message }] : [];
	});
}

/** The played model and the launcher of Landlock are programs of their own, so their main files read arguments too. */
const programs = new Set([
	"packages/ai/src/testing/main.ts",
	"packages/machines/src/sandbox/landlock/enter.ts",
]);

function isStarted(path: string): boolean {
	return path.startsWith(`${application}cli/`) || programs.has(path);
}

function inside(path: string): string[] | undefined {
	return path.startsWith(application) ? path.slice(application.length).split("/") : undefined;
}

function isFolder(segment: string): boolean {
	return segment !== "" && !segment.includes(".");
}
