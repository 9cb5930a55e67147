/** The packages that settings files name: `packages` of Tau's own and of pi's, with the filters of each. */
import { dirname, join } from "node:path";

import { isRecord } from "@tau/utils";

import type { Filters } from "./contents.ts";
import { limits } from "./limits.ts";
import { resourceKinds } from "./manifest.ts";
import { textIn, textsIn } from "./record.ts";
import { identityOf, readSource, type PackageSource } from "./source.ts";
import { readText } from "@tau/resources/discovery";

export interface Declared {
	file: string;
	program: "tau" | "pi";
	scope: "user" | "project";
	text: string;
	source: PackageSource;
	identity: string;
	filters?: Filters;
	/** True if it only narrows the selection of the user's own entry. */
	isDelta: boolean;
}

export interface DeclaredProblem {
	path: string;
	message: string;
}

interface SettingsFile {
	path: string;
	program: "tau" | "pi";
	scope: "user" | "project";
}

export interface DeclaredPaths {
	cwd: string;
	home: string;
	agentDir: string;
	/** Whether the project's files are read. */
	isTrusted: boolean;
}

export function declaredPackages(places: DeclaredPaths): {
	declared: Declared[];
	problems: DeclaredProblem[];
} {
	const problems: DeclaredProblem[] = [];
	const declared = filesOf(places).flatMap((file) => readFile(file, places.home, problems));
	return { declared, problems };
}

/** Those of the project first: of two entries for one package the project's is used. */
function filesOf({ cwd, home, agentDir, isTrusted }: DeclaredPaths): SettingsFile[] {
	const project: SettingsFile[] = [
		{ path: join(cwd, ".tau/config.yml"), program: "tau", scope: "project" },
		{ path: join(cwd, ".tau/settings.json"), program: "tau", scope: "project" },
		{ path: join(cwd, ".pi/settings.json"), program: "pi", scope: "project" },
	];
	return [
		...(isTrusted ? project : []),
		{ path: join(agentDir, "config.yml"), program: "tau", scope: "user" },
		{ path: join(agentDir, "settings.json"), program: "tau", scope: "user" },
		{ path: join(home, ".pi/agent/settings.json"), program: "pi", scope: "user" },
	];
}

function readFile(file: SettingsFile, home: string, problems: DeclaredProblem[]): Declared[] {
	const read = readText(file.path, limits.manifestBytes);
	// Most files of settings name none: those are not parsed a second time for nothing.
	if (!read?.ok || !read.text.includes("packages")) return [];
	const list = packagesIn(file.path, read.text);
	return list.slice(0, limits.packages).flatMap((item) => {
		const entry = readItem(item, file, home);
		if (entry.ok) return [entry.declared];
		problems.push({ path: file.path, message: `packages: ${entry.reason}` });
		return [];
	});
}

/** Problems of the file as a whole are reported by the settings loader. */
function packagesIn(path: string, text: string): unknown[] {
	try {
		const value: unknown = path.endsWith(".json") ? Bun.JSONC.parse(text) : Bun.YAML.parse(text);
		return isRecord(value) && Array.isArray(value.packages) ? value.packages : [];
	} catch {
		// The file is neither JSON nor YAML: the settings loader reports that with the line.
		return [];
	}
}

function readItem(
	item: unknown,
	{ path: file, program, scope }: SettingsFile,
	home: string,
): { ok: true; declared: Declared } | { ok: false; reason: string } {
	const object = isRecord(item) ? item : { source: item };
	const text = textIn(object, "source");
	if (text === undefined)
		return { ok: false, reason: "an entry is neither a source nor an object with a source" };
	const read = readSource(text, { cwd: dirname(file), home });
	if (!read.ok) return read;
	const { source } = read;
	const filters = filtersOf(object);
	const isDelta = scope === "project" && object.autoload === false;
	return {
		ok: true,
		declared: {
			file,
			program,
			scope,
			text,
			source,
			identity: identityOf(source),
			...(filters === undefined ? {} : { filters }),
			isDelta,
		},
	};
}

function filtersOf(object: Record<string, unknown>): Filters | undefined {
	const entries = resourceKinds.flatMap((kind) => {
		const list = textsIn(object, kind);
		return list === undefined ? [] : [[kind, list] as const];
	});
	return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Filters);
}
