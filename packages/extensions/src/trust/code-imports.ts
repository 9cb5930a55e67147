/**
 * Finds the files that a module may import, without Bun's resolver: that one downloads packages that are not there, and
 * this is also done for projects that nobody trusts yet. Too many files are better than too few.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, extname, isAbsolute, join, resolve } from "node:path";

import { isRecord } from "@tau/utils";

import { isInside } from "@tau/resources/discovery";

const loaders: Readonly<Record<string, Bun.JavaScriptLoader>> = {
	".ts": "ts",
	".mts": "ts",
	".cts": "ts",
	".tsx": "tsx",
	".js": "jsx",
	".mjs": "jsx",
	".cjs": "jsx",
	".jsx": "jsx",
};
const endings = [...Object.keys(loaders), ".json"];
/** Imports that the transpiler leaves out as unused may be kept when the file is loaded. */
const importSyntax = /\b(?:from|import|require)\s*\(?\s*(["'`])([^"'`\n]+)\1/g;
/** The loader has modules of its own for these. */
const provided = /^(?:node:|bun:|@(?:mariozechner|earendil-works|oh-my-pi)\/pi-)/;

export interface Imports {
	files: string[];
	/** Directories of installed packages. */
	packages: string[];
}

/** `path` is that of the module, without links; nothing above `top` is looked at for packages. */
export function importsOf(path: string, data: Buffer, top: string): Imports {
	const found: Imports = { files: [], packages: [] };
	const loader = loaders[extname(path)];
	if (!loader) return found;
	for (const specifier of specifiersIn(data.toString(), loader)) {
		if (provided.test(specifier)) continue;
		const local = localPath(specifier, dirname(path));
		if (local !== undefined) found.files.push(...candidates(local));
		else addPackage(specifier, dirname(path), top, found);
	}
	return found;
}

export function packagesOf(names: readonly string[], from: string, top: string): string[] {
	return names.flatMap((name) => nearest(join("node_modules", name), from, top) ?? []);
}

function specifiersIn(text: string, loader: Bun.JavaScriptLoader): Set<string> {
	const specifiers = new Set([...text.matchAll(importSyntax)].map(([, , specifier = ""]) => specifier));
	try {
		for (const { path } of new Bun.Transpiler({ loader }).scanImports(text)) specifiers.add(path);
	} catch {
		// A file with a syntax error cannot be loaded.
	}
	return specifiers;
}

function localPath(specifier: string, from: string): string | undefined {
	const path = specifier.replace(/[?#].*$/s, "");
	if (path.startsWith("file:") && URL.canParse(path)) return Bun.fileURLToPath(path);
	if (isAbsolute(path)) return path;
	return /^\.{1,2}(?:\/|$)/.test(path) ? resolve(from, path) : undefined;
}

/** `./x` may mean `x.ts` or `x/index.ts`, and `./x.js` a file that is called `x.ts`. */
function candidates(path: string): string[] {
	const stem = path.slice(0, path.length - extname(path).length);
	const names = [
		path,
		...endings.flatMap((ending) => [path + ending, stem + ending, join(path, `index${ending}`)]),
	];
	const manifest = join(path, "package.json");
	const main = stringsIn(readJson(manifest)).map((text) => resolve(path, text));
	return [...new Set([...names, manifest, ...main])].filter(isFile);
}

/** A package, or an alias of `tsconfig.json` or of `imports` in package.json. */
function addPackage(specifier: string, from: string, top: string, found: Imports): void {
	const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
	const packages = packagesOf([name], from, top);
	found.packages.push(...packages);
	if (packages.length > 0) return;
	for (const file of ["tsconfig.json", "jsconfig.json", "package.json"]) {
		const path = nearest(file, from, top);
		if (path === undefined) continue;
		const targets = aliasTargets(readJson(path), specifier).flatMap((to) =>
			candidates(resolve(dirname(path), to)),
		);
		if (targets.length > 0) found.files.push(path, ...targets);
	}
}

function aliasTargets(config: unknown, specifier: string): string[] {
	if (!isRecord(config)) return [];
	const options = isRecord(config.compilerOptions) ? config.compilerOptions : {};
	const base = typeof options.baseUrl === "string" ? options.baseUrl : ".";
	const aliases = [options.paths, config.imports].flatMap((table) =>
		isRecord(table) ? Object.entries(table) : [],
	);
	const targets = aliases.flatMap(([alias, value]) => {
		const [start = "", end] = alias.split("*");
		if (end === undefined ? specifier !== alias : !specifier.startsWith(start)) return [];
		const rest = specifier.slice(start.length, specifier.length - (end?.length ?? 0));
		return stringsIn(value).map((target) =>
			join(
				base,
				target.replace("*", () => rest),
			),
		);
	});
	return options.baseUrl === undefined ? targets : [...targets, join(base, specifier)];
}

function stringsIn(value: unknown): string[] {
	if (typeof value === "string") return [value];
	return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function readJson(path: string): unknown {
	try {
		return Bun.JSONC.parse(readFileSync(path, "utf8"));
	} catch {
		// It is not there, or no JSON.
		return undefined;
	}
}

function nearest(name: string, from: string, top: string): string | undefined {
	for (let at = from; at === top || isInside(at, top); at = dirname(at)) {
		const path = join(at, name);
		if (statSync(path, { throwIfNoEntry: false })) return path;
	}
	return undefined;
}

function isFile(path: string): boolean {
	try {
		return statSync(path).isFile();
	} catch {
		// It is not there, or a part of its path is no directory.
		return false;
	}
}
