/** The languages whose structure can be searched, and the files that are written in them. */
import { extname } from "node:path";

import { nearest } from "@tau/utils";

export interface Language {
	name: string;
	/** The engine's name of the language. */
	engine: string;
	extensions: readonly string[];
	/** Other names that users and models write. */
	aliases?: readonly string[];
	/** The symbol of a grammar that a library provides, and the letter that replaces `$` in its patterns. */
	library?: { symbol: string; letter: string };
}

const outside = (symbol: string, letter: string) => ({ symbol: `tree_sitter_${symbol}`, letter });

export const languages: readonly Language[] = [
	{ name: "typescript", engine: "TypeScript", extensions: ["ts", "mts", "cts"], aliases: ["ts"] },
	{ name: "tsx", engine: "Tsx", extensions: ["tsx"] },
	{
		name: "javascript",
		engine: "JavaScript",
		extensions: ["js", "mjs", "cjs", "jsx"],
		aliases: ["js", "jsx"],
	},
	{ name: "html", engine: "Html", extensions: ["html", "htm"] },
	{ name: "css", engine: "Css", extensions: ["css"] },
	{
		name: "python",
		engine: "python",
		extensions: ["py", "pyi"],
		aliases: ["py"],
		library: outside("python", "µ"),
	},
	{ name: "go", engine: "go", extensions: ["go"], aliases: ["golang"], library: outside("go", "µ") },
	{ name: "rust", engine: "rust", extensions: ["rs"], aliases: ["rs"], library: outside("rust", "µ") },
	{ name: "java", engine: "java", extensions: ["java"], library: outside("java", "$") },
	{ name: "c", engine: "c", extensions: ["c", "h"], library: outside("c", "_") },
	{
		name: "bash",
		engine: "bash",
		extensions: ["sh", "bash"],
		aliases: ["sh", "shell"],
		library: outside("bash", "$"),
	},
	{ name: "json", engine: "json", extensions: ["json"], library: outside("json", "$") },
	{
		name: "yaml",
		engine: "yaml",
		extensions: ["yaml", "yml"],
		aliases: ["yml"],
		library: outside("yaml", "$"),
	},
];

export function languageOf(path: string): Language | undefined {
	const extension = extname(path).slice(1).toLowerCase();
	return languages.find(({ extensions }) => extensions.includes(extension));
}

/** Finds a language by the model's name for it; suggests similar names when there is none. */
export function languageNamed(name: string): Language | { unknown: string } {
	const requested = name.trim().toLowerCase();
	const found = languages.find(
		(language) => language.name === requested || language.aliases?.includes(requested),
	);
	if (found) return found;
	const names = languages.map((language) => language.name);
	const [near] = nearest(requested, names);
	const hint = near === undefined ? `Languages: ${names.join(", ")}.` : `Did you mean ${near}?`;
	return { unknown: `Unknown language "${name}". ${hint}` };
}
