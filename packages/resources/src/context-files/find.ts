/** Finds the files that instruct the model: the user's, then the project's from its root down. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

export interface ContextFileLocation {
	path: string;
	level: "user" | "project";
	/** Imports may not leave it. */
	root: string;
}

/** In the home directory the first that exists is used: the others belong to other programs. */
const ofUser = [
	[".omp/agent/AGENTS.md", "omp"],
	[".pi/agent/AGENTS.md", "pi"],
	[".claude/CLAUDE.md", "claude"],
	[".codex/AGENTS.md", "codex"],
	[".gemini/GEMINI.md", "gemini"],
] as const;

/** In a directory of a project the first of these that exists is used: most are copies of each other. */
const ofDirectory = [
	["AGENTS.md", "agents"],
	["CLAUDE.md", "claude"],
	[".omp/AGENTS.md", "omp"],
	[".pi/AGENTS.md", "pi"],
	[".claude/CLAUDE.md", "claude"],
	[".codex/AGENTS.md", "codex"],
	["GEMINI.md", "gemini"],
	[".gemini/GEMINI.md", "gemini"],
] as const;

/** Additional files that follow it: instructions for Tau alone, and those that are not shared with the team. */
const besides = [
	[".tau/AGENTS.md", "tau"],
	["AGENTS.local.md", "agents"],
	["CLAUDE.local.md", "claude"],
] as const;

export interface FindOptions {
	cwd: string;
	/** `~/.tau/agent` */
	agentDir: string;
	home: string;
	/** Whether the files of a program are not to be read. */
	isOff?(source: string): boolean;
	/** Other directories that the user added to the work; theirs come before those of the project. */
	directories?: readonly string[];
	/** Whose files are read; all by default. */
	levels?: "all" | "user";
	ownerOf?: OwnerOf;
}

/** The user id that a directory belongs to; undefined when it cannot be read. */
export type OwnerOf = (directory: string) => number | undefined;

/** A file that would be read if no other stood for the same. */
export interface ContextFileCandidate extends ContextFileLocation {
	/** The program that it is written for. */
	source: string;
	/** The first of a slot is used. */
	slot: string;
}

/** From the most general to the nearest; a file with two names is used once. */
export function findContextFiles(options: FindOptions): ContextFileLocation[] {
	const taken = new Set<string>();
	const seen = new Set<string>();
	return contextFileCandidates(options)
		.filter(({ source, slot }) => {
			if (options.isOff?.(source) || taken.has(slot)) return false;
			taken.add(slot);
			return true;
		})
		.filter(({ path }) => {
			const real = realpathSync(path);
			return !seen.has(real) && seen.add(real);
		})
		.map(({ path, level, root }) => ({ path, level, root }));
}

/** All that exist, in order. */
export function contextFileCandidates(options: FindOptions): ContextFileCandidate[] {
	const { cwd, agentDir, home, levels: wanted = "all", ownerOf } = options;
	const root = projectRoot(cwd, ownerOf);
	const own = [join(agentDir, "AGENTS.md"), "tau"] as const;
	const user = [own, ...ofUser.map(([name, source]) => [join(home, name), source] as const)].map(
		([path, source]): ContextFileCandidate => ({ path, source, level: "user", root: home, slot: "user" }),
	);
	const added = (options.directories ?? []).flatMap((directory) => inDirectory(directory, directory));
	const project = levels(root, cwd).flatMap((directory) => inDirectory(directory, root));
	return [...user, ...(wanted === "all" ? [...added, ...project] : [])].filter(({ path }) =>
		existsSync(path),
	);
}

function inDirectory(directory: string, root: string): ContextFileCandidate[] {
	const place = { level: "project", root } as const;
	return [
		...ofDirectory.map(([name, source]) => ({
			...place,
			path: join(directory, name),
			source,
			slot: directory,
		})),
		...besides.map(([name, source]) => {
			const path = join(directory, name);
			return { ...place, path, source, slot: path };
		}),
	];
}

/**
 * The directory that holds `.git`, else the working directory itself. The search ends below a directory that belongs to
 * another user: in a shared directory such as `/tmp` anyone could leave instructions for all projects below it.
 */
export function projectRoot(cwd: string, ownerOf: OwnerOf = statOwner): string {
	const start = resolve(cwd);
	const accepted = new Set([process.geteuid?.(), ownerOf(start)]);
	for (let at = start; ; at = dirname(at)) {
		if (existsSync(join(at, ".git"))) return at;
		const above = dirname(at);
		if (above === at || !accepted.has(ownerOf(above))) return start;
	}
}

function statOwner(directory: string): number | undefined {
	try {
		return statSync(directory, { throwIfNoEntry: false })?.uid;
	} catch {
		// A directory without a readable owner is treated as another user's.
		return undefined;
	}
}

/** Both ends are in it. */
function levels(root: string, cwd: string): string[] {
	const out = [root];
	const below = resolve(cwd).slice(root.length).split(sep).filter(Boolean);
	for (const name of below) out.push(join(out.at(-1) ?? root, name));
	return out;
}
