/** The code that a project would run: its extensions, hooks and tools, each with a hash to detect changes. */
import { readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

import { isRecord } from "@tau/utils";

import { entriesOf, isLoop, kindOf, readText } from "../discovery/walk.ts";
import { limits } from "../support/limits.ts";
import { projectExtensions } from "./project-settings.ts";

/** Hashes by path, relative to the project. */
export type ProjectCode = Readonly<Record<string, string>>;

export interface CodeChange {
	path: string;
	kind: "new" | "changed" | "removed";
}

const directories = [
	...[".tau", ".omp", ".pi"].flatMap((base) =>
		["extensions", "hooks", "tools"].map((name) => join(base, name)),
	),
	".claude/hooks",
	".claude/tools",
	".codex/tools",
	// The list of the packages that are installed for the project; what is in them is checked when they are installed.
	".tau/plugins",
];

/** Other settings may change without anything new being run. */
const settingsFiles = [
	".tau/config.yml",
	".tau/settings.json",
	".omp/config.yml",
	".omp/settings.json",
	".pi/settings.json",
	".claude/settings.json",
	".claude/settings.local.json",
];
const settingsKeys = ["extensions", "hooks", "packages", "plugins"];

export function projectCode(cwd: string): ProjectCode {
	const code: Record<string, string> = {};
	let bytes = 0;
	const add = (path: string): void => {
		const name = relative(cwd, path);
		if (name in code || Object.keys(code).length >= limits.codeFiles) return;
		const hash = hashOf(path, bytes);
		if (!hash) return;
		bytes += hash.bytes;
		code[name] = hash.text;
	};
	for (const directory of directories) visit(join(cwd, directory), directory === ".tau/plugins" ? 1 : 0, add);
	for (const path of projectExtensions(cwd)) {
		add(path);
		visit(path, 0, add);
	}
	for (const name of settingsFiles) {
		const named = namedIn(join(cwd, name));
		if (named !== undefined) code[name] = sha256(named);
	}
	return code;
}

export function codeChanges(before: ProjectCode, now: ProjectCode): CodeChange[] {
	const removed = Object.keys(before).filter((path) => !(path in now));
	return [
		...Object.entries(now).flatMap(([path, hash]): CodeChange[] => {
			if (!Object.hasOwn(before, path)) return [{ path, kind: "new" }];
			return before[path] === hash ? [] : [{ path, kind: "changed" }];
		}),
		...removed.map((path): CodeChange => ({ path, kind: "removed" })),
	];
}

function visit(directory: string, depth: number, add: (path: string) => void): void {
	for (const entry of entriesOf(directory)) {
		const kind = kindOf(entry, directory);
		const path = join(directory, entry.name);
		if (kind === "file") add(path);
		else if (kind === "directory" && depth < limits.codeDepth && !isLoop(entry, directory))
			visit(path, depth + 1, add);
	}
}

function hashOf(path: string, before: number): { text: string; bytes: number } | undefined {
	try {
		const info = statSync(path);
		if (!info.isFile()) return undefined;
		if (before + info.size > limits.codeBytes) return { text: `${info.size} ${info.mtimeMs}`, bytes: 0 };
		return { text: sha256(readFileSync(path)), bytes: info.size };
	} catch {
		// What cannot be read cannot be run either.
		return undefined;
	}
}

/** The settings that name code, as text; undefined if the file has none of them. */
function namedIn(file: string): string | undefined {
	const read = readText(file, limits.manifestBytes);
	if (!read?.ok || !settingsKeys.some((key) => read.text.includes(key))) return undefined;
	try {
		const value: unknown = file.endsWith(".json") ? Bun.JSONC.parse(read.text) : Bun.YAML.parse(read.text);
		const found = settingsKeys.filter((key) => isRecord(value) && value[key] !== undefined);
		return found.length === 0
			? undefined
			: JSON.stringify(found.map((key) => [key, Reflect.get(Object(value), key)]));
	} catch {
		// The settings loader reports the problem; nothing of the file is used.
		return undefined;
	}
}

function sha256(data: string | Uint8Array): string {
	return new Bun.CryptoHasher("sha256").update(data).digest("hex");
}
