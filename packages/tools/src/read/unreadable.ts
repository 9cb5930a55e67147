/** Explains why a path cannot be read, and suggests similar paths. */
import { basename, dirname, join } from "node:path";
import type { MachineFiles } from "@tau/sys";
import { nearest, oneLine, withTimeout } from "@tau/utils";
import { ownPath, shownName } from "../find/shown-path.ts";
import type { ToolEnv } from "../tool/env.ts";
import { limits } from "./limits.ts";

export function unreadable(shown: string, error: NodeJS.ErrnoException): string {
	const path = oneLine(shown, limits.lineChars);
	switch (error.code) {
		case "ENOENT":
			return `There is no file ${path}.`;
		case "EACCES":
		case "EPERM":
			return `No permission to read ${path}.`;
		case "ENOTDIR":
			return `Cannot read ${path}: part of its path is a file, not a directory.`;
		case "ENAMETOOLONG":
			return `There is no file ${path}: the name is too long.`;
		default:
			return `Cannot read ${path}: ${oneLine(error.message, limits.lineChars)}`;
	}
}

/** Names like it in its directory; else files of its name anywhere in the project. */
export async function suggestions(
	shown: string,
	env: Pick<ToolEnv, "cwd" | "machine" | "resolve">,
	signal: AbortSignal,
): Promise<string> {
	const { files } = env.machine;
	const absolute = env.resolve(shown);
	// A hint is not worth an error.
	const target = (await files.lstat(absolute).catch(() => undefined))?.linkTarget;
	if (target !== undefined) return ` It is a link to ${shownName(target)}, which does not exist.`;
	const near = await likeIt(files, absolute);
	const matches = near.length > 0 ? near : await sameName(files, absolute, env.cwd, signal);
	if (matches.length === 0) return "";
	const names = matches.slice(0, limits.suggestions).map((path) => shownName(ownPath(env.cwd, path)));
	return ` Did you mean ${names.join(" or ")}?`;
}

async function likeIt(files: MachineFiles, absolute: string): Promise<string[]> {
	const directory = dirname(absolute);
	// A missing directory has no similar names.
	const entries = await files.list(directory).catch(() => []);
	const names = entries.map(({ name }) => name);
	return nearest(basename(absolute), names, limits.suggestions).map((name) => join(directory, name));
}

async function sameName(
	files: MachineFiles,
	absolute: string,
	cwd: string,
	signal: AbortSignal,
): Promise<string[]> {
	const name = basename(absolute);
	using deadline = withTimeout(signal, limits.suggestMs, "looking for similar names took too long");
	try {
		const { entries } = await files.glob({
			root: cwd,
			pattern: "**",
			hidden: true,
			cache: true,
			signal: deadline.signal,
		});
		return entries.filter(({ path }) => basename(path) === name).map(({ path }) => join(cwd, path));
	} catch {
		// A hint is not worth an error, nor a long wait.
		return [];
	}
}
