/** Shows file tools the temporary files that commands see, under the paths that commands know them by. */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { errorCode } from "@tau/utils";

import {
	layered,
	problem,
	type FileProblem,
	type MachineFiles,
	type CurrentLauncher,
	type ShellLauncher,
	followPath,
} from "@tau/sys";
import { isOfSandbox, temporaryRoot } from "./private-directory.ts";
import { isBelow } from "./below.ts";

/**
 * What only the host has, such as a file that the user names, stays visible: it is outside, and judged as such.
 * `project`: a directory that commands see as it is, so that its files need no sandbox, also where it is a temporary one.
 */
export function withTemporaryFiles(
	all: MachineFiles,
	current: () => CurrentLauncher,
	project?: string,
): MachineFiles {
	const isOwn = (path: string): boolean =>
		project !== undefined && (path === project || isBelow(path, project));
	const isPlain = (path: string): boolean => temporaryRoot(path) === undefined || isOwn(path);
	const launcherFor = async (path: string): Promise<ShellLauncher | undefined> => {
		const given = resolve(path);
		const real = nearestReal(given);
		if (isOfSandbox(given) || isOfSandbox(real)) throw refusal(path, "belongs to the sandbox");
		if (isPlain(given) && isPlain(real)) return undefined;
		return await Promise.resolve(current()).catch(() => undefined);
	};
	const at = async (path: string): Promise<string> => {
		const launcher = await launcherFor(path);
		return launcher ? placeOf(path, launcher) : path;
	};
	/** The name itself, even if it is a link. */
	const entry = async (path: string): Promise<string> => {
		const launcher = await launcherFor(dirname(path));
		return launcher ? join(placeOf(dirname(path), launcher), basename(path)) : path;
	};
	const shower = async (paths: readonly string[]): Promise<(path: string) => string> => {
		for (const path of paths) {
			const launcher = await launcherFor(path);
			if (launcher) return (found) => launcher.shownPath?.(found) ?? found;
		}
		return (found) => found;
	};
	return layered(all, (files) => ({
		stat: async (path) => files.stat(await at(path)),
		lstat: async (path) => files.lstat(await entry(path)),
		async realpath(path) {
			const launcher = await launcherFor(path);
			if (!launcher) return files.realpath(path);
			const real = await files.realpath(placeOf(path, launcher));
			return launcher.shownPath?.(real) ?? real;
		},
		open: async (path, signal) => files.open(await at(path), signal),
		read: async (path, options) => files.read(await at(path), options),
		list: async (path) => files.list(await at(path)),
		async glob(options) {
			const found = await files.glob({ ...options, root: await at(options.root) });
			return { ...found, root: (await shower([options.root]))(found.root) };
		},
		fuzzyFind: async (options) => files.fuzzyFind({ ...options, root: await at(options.root) }),
		async search(options, onEvent) {
			const named = options.paths.map((path) => resolve(options.cwd, path));
			const shown = await shower(named);
			const paths = await Promise.all(
				options.paths.map(async (path, index) => {
					const place = await at(named[index] ?? path);
					return place === named[index] ? path : place;
				}),
			);
			return files.search({ ...options, paths }, (event) => onEvent({ ...event, path: shown(event.path) }));
		},
		readText: async (shown, path) => placed(at(path), (place) => files.readText(shown, place)),
		readEntry: async (shown, path) => placed(entry(path), (place) => files.readEntry(shown, place)),
	}));
}

/** Links are followed first, as commands follow them. One that a command has made must not lead us to what it cannot reach. */
function placeOf(path: string, launcher: ShellLauncher): string {
	const host = (inside: string): string => launcher.hostPath(inside);
	const isPrivate = (inside: string): boolean => {
		const found = host(inside);
		return found !== inside && launcher.shownPath?.(found) === inside;
	};
	let isByCommand = false;
	const inside = followPath(path, {
		hostPath: host,
		onLink: (link) => {
			isByCommand ||= isPrivate(link);
		},
	});
	const place = host(inside);
	if (isOfSandbox(place)) throw refusal(path, "belongs to the sandbox");
	if (isByCommand && !isPrivate(inside))
		throw refusal(path, `is a link from the session's temporary files to ${inside}; use that path`);
	return isPrivate(inside) ? place : path;
}

class OutOfReach extends Error {
	readonly code = "EACCES";
}

function refusal(path: string, why: string): OutOfReach {
	return new OutOfReach(`${path} ${why}.`);
}

async function placed<T>(
	place: Promise<string>,
	use: (place: string) => Promise<T>,
): Promise<T | FileProblem> {
	try {
		return await use(await place);
	} catch (error) {
		if (error instanceof OutOfReach) return problem("denied", error.message);
		throw error;
	}
}

/** The path without links, as this process sees it; for what does not exist, that of what exists above it. */
function nearestReal(path: string): string {
	try {
		return realpathSync.native(path);
	} catch (error) {
		const above = dirname(path);
		if (above === path || errorCode(error) === "ELOOP") return path;
	}
	return followPath(path, { hostPath: (inside) => inside });
}
