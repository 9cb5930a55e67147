/** Lists the extensions that a project's settings files name; other code decides whether they may run. */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { readText } from "@tau/resources/discovery";
import { limits } from "../support/limits.ts";

const files = [
	".tau/config.yml",
	".tau/settings.json",
	".omp/config.yml",
	".omp/settings.json",
	".pi/settings.json",
] as const;

/** Absolute paths, in the order in which they are named. */
export function projectExtensions(cwd: string): string[] {
	return files.flatMap((name) => {
		const file = join(cwd, name);
		const read = readText(file, limits.manifestBytes);
		// Most files name none: those are not parsed a second time for nothing.
		if (!read?.ok || !read.text.includes("extensions")) return [];
		return named(file, read.text)
			.filter((path): path is string => typeof path === "string" && isPath(path))
			.slice(0, limits.perDirectory)
			.map((path) => resolve(baseOf(cwd, name, path), path));
	});
}

/** pi resolves paths against the file, omp against the project: there the project is used if it has such a path. */
function baseOf(cwd: string, file: string, path: string): string {
	const isMeantFromProject = file.startsWith(".omp/") && existsSync(resolve(cwd, path));
	return isMeantFromProject ? cwd : join(cwd, dirname(file));
}

/** pi excludes entries with `!` and `-`, and a project cannot refer to the user's home directory. */
function isPath(path: string): boolean {
	return path !== "" && !/^[!+~-]/.test(path);
}

function named(file: string, text: string): unknown[] {
	try {
		const value: unknown = file.endsWith(".json") ? Bun.JSONC.parse(text) : Bun.YAML.parse(text);
		const list: unknown = typeof value === "object" && value !== null && Reflect.get(value, "extensions");
		return Array.isArray(list) ? list : [];
	} catch {
		// The settings loader reports the problem with its line.
		return [];
	}
}
