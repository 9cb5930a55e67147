/** The machine of one judged call: its files are those that were judged, whatever becomes of links meanwhile. */
import { basename, dirname, join, resolve } from "node:path";

import { errorCode } from "@tau/utils";

import { limits } from "./limits.ts";
import type { Machine, MachineFiles } from "./machine.ts";
import { problem, type FileProblem } from "./problem.ts";
import type { AbsentFile, TextFile } from "./text-file.ts";

/** See `JudgedPaths` of `@tau/agent`. */
export interface JudgedFiles {
	realPath(path: string): string | undefined;
	allows(kind: "read" | "write", real: string): boolean;
	accepts(real: string, stamp: string | undefined): boolean;
	changed(real: string): void;
}

export function withJudged(machine: Machine, judged: JudgedFiles): Machine {
	return { ...machine, files: judgedFiles(machine.files, judged) };
}

/** Every path is resolved once, judged, and used without following a link again. */
function judgedFiles(files: MachineFiles, judged: JudgedFiles): MachineFiles {
	const unlinked = files.unlinked();
	const directories = new Map<string, string>();
	const at = <T>(path: string, work: (real: string) => Promise<T>): Promise<T> =>
		whereJudged({ files, judged, directories, path }, work);
	const entry = <T>(path: string, work: (real: string) => Promise<T>): Promise<T> =>
		whereJudged({ files, judged, directories, path, isEntry: true }, work);
	// A sandbox keeps the session's temporary files elsewhere than where calls and judgments name them.
	const named = new Map<string, string>();
	const accepted = <T extends TextFile | AbsentFile>(
		found: T | FileProblem,
		real: string,
	): T | FileProblem => {
		if (!found.ok && found.kind === "moved") throw new MovedError(found);
		if (!found.ok) return found;
		if (found.target !== real) named.set(found.target, real);
		const stamp = found.text === undefined ? undefined : found.stamp;
		return judged.accepts(found.target, stamp) ? found : changedSinceApproved(found.shown);
	};
	const self: MachineFiles = {
		...files,
		stat: (path) => at(path, (real) => unlinked.stat(real)),
		lstat: (path) => entry(path, (real) => unlinked.lstat(real)),
		realpath: (path) => at(path, (real) => unlinked.realpath(real)),
		open: (path, signal) => at(path, (real) => unlinked.open(real, signal)),
		read: (path, options) => at(path, (real) => unlinked.read(real, options)),
		list: (path) => at(path, (real) => unlinked.list(real)),
		glob: (options) => at(options.root, (root) => unlinked.glob({ ...options, root })),
		fuzzyFind: (options) => at(options.root, (root) => unlinked.fuzzyFind({ ...options, root })),
		async search(options, onEvent) {
			const roots = new Map<string, string>();
			for (const path of options.paths) {
				const absolute = resolve(options.cwd, path);
				// That something is there is known afterwards, and that it is no link.
				await at(absolute, async (real) => {
					await unlinked.stat(real);
					roots.set(real, absolute);
				});
			}
			const shown = (path: string): string => shownAs(roots, path);
			return await unlinked.search({ ...options, paths: [...roots.keys()] }, (event) =>
				onEvent({ ...event, path: shown(event.path) }),
			);
		},
		readText: (shown, path) =>
			asProblem(at(path, async (real) => accepted(await unlinked.readText(shown, real), real))),
		readEntry: (shown, path) =>
			asProblem(entry(path, async (real) => accepted(await unlinked.readEntry(shown, real), real))),
		async commit(changes, options) {
			const targets = changes.map(({ before }) => before.target);
			const refused = targets.findIndex((target) => !judged.allows("write", named.get(target) ?? target));
			if (refused >= 0) return unjudged(changes[refused]?.before.shown ?? "", targets[refused] ?? "");
			const done = await unlinked.commit(changes, options);
			if (done.ok) for (const target of targets) judged.changed(target);
			return done;
		},
		localPath: (path) => files.localPath(judged.realPath(path) ?? path),
		unlinked: () => self,
	};
	return self;
}

/** The path leads to what was not judged. */
class MovedError extends Error {
	readonly code = "EMOVED";
	readonly problem: FileProblem;

	constructor(moved: FileProblem) {
		super(moved.reason);
		this.problem = moved;
	}
}

interface Use {
	readonly files: MachineFiles;
	readonly judged: JudgedFiles;
	/** Directories of entries that were resolved already: whether they still lead there is seen when they are used. */
	readonly directories: Map<string, string>;
	readonly path: string;
	/** The name itself is meant, even if it is a link. */
	readonly isEntry?: boolean;
}

/**
 * The call's own paths are where they were judged to be. Any other is resolved now and judged as what it is, and so is
 * one that leads elsewhere meanwhile: what may be read or changed without a question still is.
 */
async function whereJudged<T>(use: Use, work: (real: string) => Promise<T>): Promise<T> {
	const { judged, directories, path, isEntry = false } = use;
	const known = judged.realPath(path);
	// Links may lead elsewhere in the tree of an agent than where they were judged: a path with links is resolved there.
	if (known === path || (known !== undefined && !isEntry && known === (await resolved(use)))) {
		if (!judged.allows("read", known)) throw new MovedError(unjudged(path, known));
		try {
			return await work(known);
		} catch (error) {
			if (errorCode(error) !== "EMOVED") throw error;
		}
	}
	const real = await resolved(use);
	if (!judged.allows("read", real)) throw new MovedError(unjudged(path, real));
	try {
		return await work(real);
	} finally {
		if (directories.size > limits.resolvedDirectories) directories.clear();
	}
}

async function resolved({ files, directories, path, isEntry }: Use): Promise<string> {
	if (!isEntry) return await realPathOf(files, path);
	const directory = dirname(path);
	const real = directories.get(directory) ?? (await realPathOf(files, directory));
	directories.set(directory, real);
	return join(real, basename(path));
}

function unjudged(shown: string, real: string): FileProblem {
	const leads = real === shown ? shown : `${shown} leads to ${real}, which`;
	return problem(
		"moved",
		`${leads} is not part of what this call was allowed to touch. Nothing was changed.`,
	);
}

function changedSinceApproved(shown: string): FileProblem {
	return problem("stale", `${shown} has changed since the user approved the call. Nothing was written.`);
}

/** Text files are read with a problem as the outcome. */
async function asProblem<T>(work: Promise<T>): Promise<T | FileProblem> {
	try {
		return await work;
	} catch (error) {
		if (error instanceof MovedError) return error.problem;
		throw error;
	}
}

/** Also of a file that does not exist yet: it would be created there. */
async function realPathOf(files: MachineFiles, path: string, links = 0): Promise<string> {
	try {
		return await files.realpath(path);
	} catch {
		// It does not exist, or may not be looked at: its parent decides.
	}
	const parent = dirname(path);
	if (parent === path) return path;
	const target = await files.lstat(path).then(
		(facts) => facts?.linkTarget,
		() => undefined,
	);
	const above = await realPathOf(files, parent, links);
	if (target === undefined || links >= limits.linkSteps) return join(above, basename(path));
	return await realPathOf(files, resolve(above, target), links + 1);
}

/** Below what the call named, as it named it. */
function shownAs(named: ReadonlyMap<string, string>, path: string): string {
	for (const [real, given] of named) {
		if (path === real) return given;
		if (path.startsWith(real === "/" ? real : `${real}/`)) return join(given, path.slice(real.length));
	}
	return path;
}
