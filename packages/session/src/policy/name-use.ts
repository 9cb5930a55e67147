/** What a call does with the names of files while others run, and how it is judged beside them. */
import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import type { FrozenCall } from "@tau/agent";
import type { ProgramRun } from "@tau/sys/commands";
import { listen } from "@tau/utils";

import { execOf, type CallItem, type FileItem } from "./call-items.ts";
import type { CallPaths } from "./call-paths.ts";
import { startsLikeName } from "./leading-patterns.ts";
import type { NameUse, RunningCommands } from "./running-commands.ts";

interface Looked {
	readonly items: CallItem[];
	/** How many commands had begun by then. */
	readonly begun: number;
}

/** What a call is judged by, when no command is in its way any more; one that still is, is judged, too. */
export async function itemsBeside(
	call: FrozenCall,
	running: RunningCommands,
	signal: AbortSignal,
	itemsNow: () => Promise<CallItem[]>,
): Promise<Looked> {
	const look = async (): Promise<Looked> => ({ begun: running.begun, items: await itemsNow() });
	const first = await look();
	const use = nameUse(call, first.items);
	if (!running.isBusy(use)) return first;
	const reason = await running.inTheWay(use, signal);
	const { items, begun } = await look();
	return {
		begun,
		items: reason === undefined ? items : [...items, { kind: "unknown", reason, isIntricate: true }],
	};
}

/** Whether the call may run as it was judged; it is one of those that run then, until `paths` end. */
export function begin(
	call: FrozenCall,
	running: RunningCommands,
	{ items, begun, paths, signal }: Looked & { readonly paths: CallPaths; readonly signal: AbortSignal },
): boolean {
	const use = nameUse(call, items);
	if (!Object.values(use).includes(true)) return true;
	signal.throwIfAborted();
	const end = running.begin(use, execOf(call)?.command ?? call.name, begun);
	if (!end) return false;
	// A call that is interrupted before it has started a command never will.
	const interrupted = listen(signal, "abort", () => paths.ended());
	paths.endWith(() => {
		interrupted[Symbol.dispose]();
		end();
	});
	return true;
}

/** Code that the user lets run can open and change everything anyway: only what Tau knows of a call counts. */
function nameUse(call: FrozenCall, items: readonly CallItem[]): NameUse {
	const runs = items.flatMap((item) => (item.kind === "run" ? item.run : []));
	const files = items.flatMap((item) => (item.kind === "read" || item.kind === "write" ? item : []));
	const changes =
		runs.some(mayMakeLinks) ||
		files.some((file) => takesAway(file, runs.length === 1) || makesOption(file)) ||
		replacesLinks(files) ||
		deletesMore(call);
	const changesGit = runs.some(changesRepository) || files.some(completesRepository);
	const command = execOf(call);
	// Who is asked about a command with `async` reads that it runs beside others.
	const isOpen = command !== undefined && !command.isBackground;
	return {
		opens: isOpen && (files.length > 0 || runs.some(findsFiles)),
		changes,
		usesGit: isOpen && runs.some(({ name }) => name === "git"),
		changesGit,
	};
}

/** It names a directory or a pattern for which there is nothing yet. */
function findsFiles({ name, argv, effect }: ProgramRun): boolean {
	return name === "git" || name === "cd" || (effect !== "exec" && argv.includes(undefined));
}

/** Programs that change files and are not on the closed list (`ln`, `tar`, `cp -r`), and git where it may change a working tree. */
function mayMakeLinks({ name, argv, effect, unlisted }: ProgramRun): boolean {
	if (unlisted === undefined) return false;
	return name === "git" ? changesRepository({ name, argv, effect }) : effect === "write";
}

/** The index names repositories that git looks into (`git add sub`). */
function changesRepository({ name, argv, effect }: Pick<ProgramRun, "name" | "argv" | "effect">): boolean {
	return name === "git" && effect !== "read" && !besideTree.test(argv[1] ?? "");
}

/** It makes what a directory with a `HEAD` lacks: then git takes its settings. */
function completesRepository({ kind, deletes, paths }: FileItem): boolean {
	if (kind === "read" || deletes) return false;
	return paths.some((path) => {
		for (let at = path; at !== dirname(at); at = dirname(at))
			if (/^(?:commondir|objects|refs)$/.test(basename(at)) && kindOf(at) === "absent")
				return kindOf(join(dirname(at), "HEAD")) !== "absent";
		return false;
	});
}

/** Commands of git that leave the working tree as it is. */
const besideTree = /^(?:branch|commit|config|fetch|gc|notes|push|remote|tag)$/;

/** It moves or deletes more than a plain file. Behind another command (`sleep 9; mv`), that file may be a directory by then. */
function takesAway({ moves, deletes, paths: [path] }: FileItem, isAtOnce: boolean): boolean {
	if (!moves && !deletes) return false;
	if (moves && !isAtOnce) return true;
	const kind = kindOf(path);
	return kind !== "file" && !(deletes && kind === "absent");
}

/** A new file that is called `-R`: for a command with a pattern, that may be an option. */
function makesOption({ kind, deletes, paths }: FileItem): boolean {
	if (kind === "read" || deletes) return false;
	return paths.some((path) => {
		for (let at = path; kindOf(at) === "absent" && at !== dirname(at); at = dirname(at))
			if (!startsLikeName(basename(at))) return true;
		return false;
	});
}

/** Into a directory is not in the place of it. */
function replacesLinks(files: readonly FileItem[]): boolean {
	return files.some(({ moves }) => moves) && files.some(({ paths: [path] }) => kindOf(path) === "other");
}

/** A tool deletes a link or a directory. */
function deletesMore({ touches }: FrozenCall): boolean {
	return touches.some(
		(touch) => touch.kind === "delete" && ["directory", "other"].includes(kindOf(touch.path)),
	);
}

function kindOf(path: string | undefined): "file" | "directory" | "absent" | "other" {
	if (path === undefined) return "other";
	try {
		const facts = lstatSync(path, { throwIfNoEntry: false });
		if (!facts) return "absent";
		return facts.isFile() ? "file" : facts.isDirectory() ? "directory" : "other";
	} catch {
		// Commands of this user cannot get there either.
		return "absent";
	}
}
