/** The languages that code is colored in, each a file of its own, and the names that people use for them. */
import type { LanguageFn } from "highlight.js";

type Grammar = () => Promise<{ default: LanguageFn }>;

export const grammars: Readonly<Record<string, Grammar>> = {
	bash: () => import("highlight.js/lib/languages/bash"),
	c: () => import("highlight.js/lib/languages/c"),
	cpp: () => import("highlight.js/lib/languages/cpp"),
	csharp: () => import("highlight.js/lib/languages/csharp"),
	css: () => import("highlight.js/lib/languages/css"),
	diff: () => import("highlight.js/lib/languages/diff"),
	dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
	go: () => import("highlight.js/lib/languages/go"),
	ini: () => import("highlight.js/lib/languages/ini"),
	java: () => import("highlight.js/lib/languages/java"),
	javascript: () => import("highlight.js/lib/languages/javascript"),
	json: () => import("highlight.js/lib/languages/json"),
	kotlin: () => import("highlight.js/lib/languages/kotlin"),
	lua: () => import("highlight.js/lib/languages/lua"),
	makefile: () => import("highlight.js/lib/languages/makefile"),
	markdown: () => import("highlight.js/lib/languages/markdown"),
	nix: () => import("highlight.js/lib/languages/nix"),
	php: () => import("highlight.js/lib/languages/php"),
	python: () => import("highlight.js/lib/languages/python"),
	ruby: () => import("highlight.js/lib/languages/ruby"),
	rust: () => import("highlight.js/lib/languages/rust"),
	scss: () => import("highlight.js/lib/languages/scss"),
	sql: () => import("highlight.js/lib/languages/sql"),
	swift: () => import("highlight.js/lib/languages/swift"),
	typescript: () => import("highlight.js/lib/languages/typescript"),
	xml: () => import("highlight.js/lib/languages/xml"),
	yaml: () => import("highlight.js/lib/languages/yaml"),
};

const aliases: Readonly<Record<string, string>> = {
	sh: "bash",
	shell: "bash",
	zsh: "bash",
	console: "bash",
	h: "c",
	cc: "cpp",
	hpp: "cpp",
	cs: "csharp",
	patch: "diff",
	docker: "dockerfile",
	golang: "go",
	toml: "ini",
	js: "javascript",
	mjs: "javascript",
	cjs: "javascript",
	jsx: "javascript",
	json5: "json",
	jsonc: "json",
	jsonl: "json",
	kt: "kotlin",
	make: "makefile",
	md: "markdown",
	py: "python",
	rb: "ruby",
	rs: "rust",
	ts: "typescript",
	mts: "typescript",
	tsx: "typescript",
	html: "xml",
	svg: "xml",
	vue: "xml",
	yml: "yaml",
};

/** By the name of a language or the ending of a file. */
export function languageOf(name: string): string | undefined {
	const lower = name.toLowerCase();
	const known = aliases[lower] ?? lower;
	return Object.hasOwn(grammars, known) ? known : undefined;
}
