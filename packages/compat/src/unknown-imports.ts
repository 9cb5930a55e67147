/** Finds the names that an extension imports from served packages and that they do not export. */
import { readFileSync } from "node:fs";
import { dirname, extname } from "node:path";

/** Far more than any extension has; modules after that are loaded unchanged. */
const maxModules = 500;

export interface UnknownImport {
	module: string;
	name: string;
	/** Why it has no effect that the extension replaces this member; absent for an import. */
	why?: string;
}

/** Members of pi's classes that extensions replace although they are private, and that Tau has no use for. */
const replacedMembers = [
	{
		name: "Markdown.prototype.renderToken",
		written: /(?:\.|\[["'])renderToken(?:["']\])?\s*=[^=]/,
		why: "Tau's Markdown has no tokens (docs/compatibility.md)",
	},
];

export interface ServedModules {
	/** Called for each module that a file imports, before it is asked for its exports. */
	onImport(module: string, importer: string): void;
	/** What a module exports; undefined for those that are not served. */
	exportsOf(module: string): Promise<Readonly<Record<string, unknown>>> | undefined;
}

export async function unknownImports(
	entry: string,
	{ onImport, exportsOf }: ServedModules,
): Promise<UnknownImport[]> {
	const unknown: UnknownImport[] = [];
	const files = new Set([entry]);
	for (const file of files) {
		const text = read(file);
		for (const { 1: from = "" } of text.matchAll(anyImport))
			if (!from.startsWith(".")) onImport(from, file);
			else if (files.size < maxModules) add(files, from, file);
		const isUnknown = async ({ module, name }: UnknownImport): Promise<boolean> => {
			const exports = await exportsOf(module);
			return exports !== undefined && !(name in exports);
		};
		for (const { module } of namedImports(text).filter(({ name }) => name === "Markdown"))
			if (await exportsOf(module))
				for (const { written, ...member } of replacedMembers)
					if (written.test(text)) unknown.push({ module, ...member });
		const candidates = await Promise.all(namedImports(text).map(isUnknown));
		if (!candidates.includes(true)) continue;
		// Most of them are types: what Bun leaves of the module has only the imports that the loader will look for.
		for (const each of namedImports(compiled(file, text))) if (await isUnknown(each)) unknown.push(each);
	}
	return unknown.filter(
		({ module, name }, at) =>
			unknown.findIndex((other) => other.module === module && other.name === name) === at,
	);
}

const anyImport = /\b(?:from|import|require)\s*\(?\s*["']([^"']+)["']/g;
const braces = /\b(?:import|export)\s+(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*["']([^"']+)["']/g;

function namedImports(text: string): UnknownImport[] {
	return [...text.matchAll(braces)].flatMap(([, names = "", module = ""]) =>
		names
			.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "")
			.split(",")
			.map((each) => each.trim().split(/\s+/)[0] ?? "")
			.filter((name) => name !== "" && name !== "type" && name !== "default")
			.map((name) => ({ module, name })),
	);
}

function add(files: Set<string>, from: string, importer: string): void {
	try {
		files.add(Bun.resolveSync(from, dirname(importer)));
	} catch {
		// The import itself says what is wrong.
	}
}

function read(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return "";
	}
}

function compiled(file: string, text: string): string {
	const loader = /\.m?ts$/.test(file) ? "ts" : extname(file) === ".tsx" ? "tsx" : "jsx";
	try {
		return new Bun.Transpiler({ loader }).transformSync(text);
	} catch {
		// A module that cannot be compiled is reported when it is imported.
		return "";
	}
}
