/** Reads the languages of a project from the counted endings of its files. */

export interface Language {
	name: string;
	files: number;
}

const names: Readonly<Record<string, readonly string[]>> = {
	TypeScript: ["ts", "tsx", "mts", "cts"],
	JavaScript: ["js", "jsx", "mjs", "cjs"],
	Python: ["py", "pyi", "ipynb"],
	Rust: ["rs"],
	Go: ["go"],
	C: ["c", "h"],
	"C++": ["cc", "cpp", "cxx", "hpp", "hh"],
	"C#": ["cs"],
	Java: ["java"],
	Kotlin: ["kt", "kts"],
	Swift: ["swift"],
	Ruby: ["rb"],
	PHP: ["php"],
	Perl: ["pl", "pm"],
	Lua: ["lua"],
	Haskell: ["hs"],
	OCaml: ["ml", "mli"],
	Elixir: ["ex", "exs"],
	Scala: ["scala"],
	Zig: ["zig"],
	Dart: ["dart"],
	R: ["r", "R"],
	Shell: ["sh", "bash", "zsh", "fish"],
	SQL: ["sql"],
	HTML: ["html", "htm"],
	CSS: ["css", "scss", "sass", "less"],
	Vue: ["vue"],
	Svelte: ["svelte"],
	Markdown: ["md", "mdx"],
	JSON: ["json", "jsonc"],
	YAML: ["yml", "yaml"],
	TOML: ["toml"],
};
const byEnding = new Map(
	Object.entries(names).flatMap(([name, endings]) => endings.map((ending) => [ending, name])),
);

/** From lines of `uniq -c`, most files first. */
export function readLanguages(text: string): Language[] {
	const counts = new Map<string, number>();
	for (const row of text.split("\n")) {
		const [, count, ending = ""] = /^\s*(\d+) (\S+)$/.exec(row) ?? [];
		const name = byEnding.get(ending) ?? byEnding.get(ending.toLowerCase());
		if (name) counts.set(name, (counts.get(name) ?? 0) + Number(count));
	}
	return [...counts].map(([name, files]) => ({ name, files })).toSorted((a, b) => b.files - a.files);
}
