/**
 * Takes from a repository what git would run outside: hooks, and settings that name a program. A command made it, and may
 * still be at work: directories are held, so that nothing is changed through a link that takes their place, and are opened
 * for their owner if the command has closed them.
 */
import {
	chmodSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readlinkSync,
	renameSync,
	statSync,
	symlinkSync,
	unlinkSync,
	writeFileSync,
	type Stats,
} from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

import { HeldDirectory, readWritten } from "@tau/sys";
import { errorCode, shortId } from "@tau/utils";

import type { Denial } from "./denial.ts";
import { goesBack, isSameForAll, isWithoutLinks, pointerAt, realPath } from "./git-directories.ts";
import { isSetAside } from "./hidden-names.ts";
import { limits } from "./limits.ts";
import { reducedSettings, type OwnSettings, type SettingsRules } from "./made-settings.ts";

type WriteCheck = (path: string) => boolean;

/** `gitDir` is without links; `tree`: the work tree, from which remote repositories are reached. */
export function disarmedRepository(gitDir: string, tree: string, isWritable: WriteCheck): Denial[] {
	const rules = rulesOf(gitDir, tree, isWritable);
	return inDirectory(
		gitDir,
		(directory) => hooksOf(directory, "hooks"),
		(directory) => withoutPrograms(directory, "config", rules),
		(directory) => withoutPrograms(directory, "config.worktree", rules),
	);
}

/** The settings that another worktree of such a repository shares. Without one, no remote on this machine stays. */
export function disarmedShared(gitDir: string, tree: string | undefined, isWritable: WriteCheck): Denial[] {
	const rules = rulesOf(gitDir, tree, isWritable);
	return inDirectory(gitDir, (directory) => withoutPrograms(directory, "config", rules));
}

function rulesOf(gitDir: string, tree: string | undefined, isWritable: WriteCheck): SettingsRules {
	return {
		isWorkTree: (path) => isWorkTree(gitDir, path, isWritable),
		isLocalRemote: (path) => tree !== undefined && isLocalRemote(tree, path, isWritable),
	};
}

/** The user's hooks: a directory, or their contents by name, and for links where they lead. */
type OwnHooks = string | ReadonlyMap<string, Buffer | string>;

/** Hooks in a directory that the settings of a repository name, but for those that are the user's. */
export function disarmedHooks(path: string, own?: OwnHooks): Denial[] {
	return inDirectory(dirname(path), (directory) => hooksOf(directory, basename(path), own));
}

/** Settings of the user's repository that it did not have; lines that are the user's own stay. */
export function disarmedSettings(path: string, isWritable: WriteCheck, own?: OwnSettings): Denial[] {
	const rules: SettingsRules = {
		isWorkTree: () => false,
		isLocalRemote: (remote) =>
			isAbsolute(remote) &&
			!goesBack(remote) &&
			!isWritable(realPath(remote) ?? remote) &&
			isSameForAll(remote),
	};
	return inDirectory(dirname(path), (directory) => withoutPrograms(directory, basename(path), rules, own));
}

/** A file that must not be there. */
export function removed(path: string, why: string): Denial[] {
	if (isAbsent(path)) return [];
	return inDirectory(dirname(path), (directory) => {
		const info = statsOf(directory.at(basename(path)));
		// Git does not read a directory in its place either.
		if (info === undefined || info.isDirectory()) return [];
		unlinkSync(directory.at(basename(path)));
		return [{ what: `${path} was removed: ${why}`, mayRunOutside: false }];
	});
}

/** The same for what may be a directory as well: that is kept under another name. */
export function setAside(path: string, why: string): Denial[] {
	if (isAbsent(path)) return [];
	return inDirectory(dirname(path), (directory) => {
		const isIt = statsOf(directory.at(basename(path)))?.isDirectory() === true;
		return isIt ? renamedAside(path, why) : removed(path, why);
	});
}

/** Whatever it is: it is kept under another name. */
export function renamedAside(path: string, why: string): Denial[] {
	if (isAbsent(path)) return [];
	return inDirectory(dirname(path), (directory) => {
		const kept = `${basename(path).slice(0, asideLength)}.replaced-${shortId()}`;
		renameSync(directory.at(basename(path)), directory.at(kept));
		return [{ what: `${path} was renamed to ${kept}: ${why}`, mayRunOutside: false }];
	});
}

/** Where what does not belong into the directory of a repository is kept: git does not know the name. */
const asideName = "set-aside";

/** Whatever it is: it is kept, where git does not look. A name that is not text is given as bytes. */
export function movedAside(gitDir: string, directory: string, name: string | Buffer): Denial[] {
	const path = join(directory, String(name));
	return inDirectory(directory, (parent) => {
		const at =
			typeof name === "string" ? parent.at(name) : Buffer.concat([Buffer.from(`${parent.at()}/`), name]);
		const info = lstatSync(at, { throwIfNoEntry: false });
		if (info === undefined) return [];
		using repository = HeldDirectory.open(gitDir);
		if (statsOf(repository.at(asideName))?.isDirectory() === false) unlinkSync(repository.at(asideName));
		repository.make(asideName);
		using aside = repository.enter(asideName);
		opened(aside);
		// A directory that is closed for its owner cannot be moved to another one.
		if (info.isDirectory() && (info.mode & 0o700) !== 0o700) openForOwner(path);
		const kept = `${shortId()}-${String(name).slice(0, asideLength)}`;
		renameSync(at, aside.at(kept));
		const what = `${path} was set aside: git keeps nothing like it there. It is ${join(gitDir, asideName, kept)} now`;
		return [{ what, mayRunOutside: false }];
	});
}

/** Its name would be another one for us. */
export function renamedToText(
	directory: string,
	name: Buffer,
	why = "git looks into a repository there, and its name is not text",
): Denial[] {
	return inDirectory(directory, (parent) => {
		const kept = `${name.toString("utf8").slice(0, asideLength)}-${shortId()}`;
		renameSync(Buffer.concat([Buffer.from(`${parent.at()}/`), name]), parent.at(kept));
		const what = `${join(directory, String(name))} was renamed to ${kept}: ${why}`;
		return [{ what, mayRunOutside: false }];
	});
}

/** Characters of the name that is kept; names may have 255 bytes. */
const asideLength = 50;

/** What has taken the place of a protected link is kept under another name. */
export function restoredLink(path: string, target: string): Denial[] {
	if (linkTarget(path) === target) return [];
	return inDirectory(dirname(path), (directory) => {
		const at = directory.at(basename(path));
		if (statsOf(at)) renameSync(at, `${at}.replaced-${shortId()}`);
		symlinkSync(target, at);
		return [{ what: `${path} was made a link to ${target} again: it is protected`, mayRunOutside: false }];
	});
}

export function linkTarget(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch {
		return undefined;
	}
}

/** A command that closes a directory for its owner hides what is in it from us, and not from git. */
export function openForOwner(path: string): boolean {
	try {
		using directory = HeldDirectory.open(path);
		return opened(directory);
	} catch {
		// It is gone, or another user's.
		return false;
	}
}

function opened(directory: HeldDirectory): boolean {
	const { mode } = statSync(directory.at());
	if ((mode & 0o700) === 0o700) return false;
	chmodSync(directory.at(), (mode & 0o7777) | 0o700);
	return true;
}

type Disarming = (directory: HeldDirectory) => Denial[];

/** Each part is tried once more after the directory was opened, and one that fails does not keep the others from theirs. */
function inDirectory(path: string, ...parts: readonly Disarming[]): Denial[] {
	if (isAbsent(path)) return [];
	return reportedAt(path, () => {
		using directory = HeldDirectory.open(path);
		return parts.flatMap((disarm) =>
			reportedAt(path, () => {
				try {
					return disarm(directory);
				} catch (error) {
					if (!opened(directory)) throw error;
					return disarm(directory);
				}
			}),
		);
	});
}

/** A failure is a part of the report, because git may be armed then. */
function reportedAt(path: string, disarm: () => Denial[]): Denial[] {
	try {
		return disarm();
	} catch (error) {
		// There is no such directory, or a link is in its place, which is looked at by its own name.
		if (/^(?:ENOENT|ENOTDIR|EMOVED)$/.test(errorCode(error) ?? "")) return [];
		return [
			{
				what: `${path} may contain what git runs: it cannot be disarmed (${String(error)})`,
				mayRunOutside: false,
			},
		];
	}
}

/** Looked at first, because nearly nothing of this ever exists, and opening what does not exist throws an error each time. */
function isAbsent(path: string): boolean {
	try {
		return statsOf(path) === undefined;
	} catch {
		// A directory on the way is closed or a file: opening it tells which.
		return false;
	}
}

function statsOf(path: string): Stats | undefined {
	return lstatSync(path, { throwIfNoEntry: false });
}

/** Git runs only hooks that are executable. */
function hooksOf(parent: HeldDirectory, name: string, own?: OwnHooks): Denial[] {
	const path = join(parent.path, name);
	const why = "git would run it outside";
	const info = statsOf(parent.at(name));
	// Not through a link: we can reach more than the command that made it.
	if (info?.isSymbolicLink()) {
		unlinkSync(parent.at(name));
		return [{ what: `${path} was disabled: ${why}`, mayRunOutside: false }];
	}
	if (!info?.isDirectory()) return [];
	using directory = parent.enter(name);
	opened(directory);
	const names = readdirSync(directory.at()).filter((each) => !each.endsWith(".sample"));
	if (names.length > limits.hooks) {
		renameSync(parent.at(name), parent.at(`${name}.replaced-${shortId()}`));
		mkdirSync(parent.at(name));
		return [
			{ what: `${path} was replaced by an empty directory: it has too many files`, mayRunOutside: false },
		];
	}
	const isOwn = (each: string): boolean => {
		const text = typeof own === "string" ? readWritten(join(own, each)) : own?.get(each);
		if (typeof text === "string") return linkTarget(directory.at(each)) === text;
		return text !== undefined && readWritten(directory.at(each))?.equals(text) === true;
	};
	const done = own === undefined ? "disabled" : "renamed";
	return names
		.filter((each) => !isOwn(each))
		.filter((each) => (own === undefined ? disabled(directory, each) : renamed(directory.at(each))))
		.map((each) => ({ what: `${join(path, each)} was ${done}: ${why}`, mayRunOutside: false }));
}

/** A command may have made a file of the user executable; one that was put back has lost what the user's had. */
export function modeRestored(path: string, mode: number): Denial[] {
	const info = isAbsent(path) ? undefined : statsOf(path);
	if (!info?.isFile() || (info.mode & 0o111) === (mode & 0o111)) return [];
	return inDirectory(dirname(path), (directory) => {
		if (!directory.setMode(basename(path), () => mode)) return [];
		return [{ what: `${path} has the permissions again that it had`, mayRunOutside: false }];
	});
}

function renamed(path: string): boolean {
	const info = statsOf(path);
	if (!info || info.isDirectory() || isSetAside(path)) return false;
	renameSync(path, `${path}.replaced-${shortId()}`);
	return true;
}

/** A command may put a link in its place at any time: permissions are those of a file that is held. */
function disabled(directory: HeldDirectory, name: string): boolean {
	const info = statsOf(directory.at(name));
	if (!info || (!info.isSymbolicLink() && (info.mode & 0o111) === 0)) return false;
	if (info.isFile()) return directory.setMode(name, (mode) => mode & 0o666);
	if (info.isSymbolicLink()) unlinkSync(directory.at(name));
	return info.isSymbolicLink();
}

/** A line of a rebase in progress that runs a program when the rebase continues, or writes a file that is no reference. */
const runs = /^[ \t]*(?:(?:exec|x)(?:[ \t\r]|$)|(?:update-ref|u)[ \t]+(?!refs\/))/;

/** Git runs `git-merge-<strategy>`, which may be a path. */
const strategy = "(?:ort|recursive|resolve|octopus|ours|subtree)";
/** Some strategies pass theirs on to programs of git that write the file which an option names. */
const strategyOption =
	"(?:ours|theirs|patience|histogram|(?:no-)?renormalize|ignore-(?:space-change|all-space|space-at-eol|cr-at-eol)|no-renames|(?:diff-algorithm|subtree|find-renames|rename-threshold)=[\\w.%/+-]*|subtree|find-renames)";
const strategyArgument = `(?:--)?${strategyOption}`;
/** The program that signs may take the name of the key for the path of a file. */
const settingOfWork = `(?:strategy[ \\t]*=[ \\t]*${strategy}|strategy-option[ \\t]*=[ \\t]*${strategyArgument}|gpg-sign[ \\t]*=[^"/\\\\#;\\0\\r\\n]*|(?!strategy|gpg)[a-z-]+(?:[ \\t]*=[^"\\\\#;\\0\\r\\n]*)?)`;

/** Unfinished work that names how commits are merged, and the lines that git writes there. */
const strategyFiles = [
	["rebase-merge", "strategy", new RegExp(`^(?:${strategy})?[ \\t\\r]*$`)],
	[
		"rebase-merge",
		"strategy_opts",
		new RegExp(
			`^(?:[ \\t\\r]|(?:'${strategyArgument}'|"${strategyArgument}"|${strategyArgument})(?=[ \\t\\r]|$))*$`,
		),
	],
	["sequencer", "opts", new RegExp(`^[ \\t\\r]*(?:\\[options\\]|${settingOfWork})?[ \\t\\r]*$`, "i")],
] as const;

function isWritten(text: string, usual: RegExp): boolean {
	return text.length <= limits.workOptions && text.split("\n").every((line) => usual.test(line));
}

/** What such work of a repository would run: those lines, and the files with a strategy of others. */
export function rebaseCommands(gitDir: string): string[] {
	const read = (...names: readonly string[]): string =>
		readWritten(join(gitDir, ...names))?.toString("utf8") ?? "";
	const lines = read("rebase-merge", "git-rebase-todo").split("\n");
	const strategies = strategyFiles
		.map(([folder, name, isUsual]) => ({ text: read(folder, name), isUsual }))
		.filter(({ text, isUsual }) => !isWritten(text, isUsual))
		.map(({ text }) => text);
	return [...lines.filter((line) => runs.test(line)), ...strategies];
}

/** Takes the programs from work in progress, but for those that the user has put there. */
export function disarmedRebase(gitDir: string, own: ReadonlySet<string>): Denial[] {
	return inDirectory(
		gitDir,
		...strategyFiles.map(
			([folder, name, isUsual]): Disarming =>
				(parent) =>
					inFolder(parent, folder, name, (directory, text) =>
						isWritten(text, isUsual) || own.has(text) ? [] : unlinked(directory, name),
					),
		),
		(parent) =>
			inFolder(parent, "rebase-merge", "git-rebase-todo", (directory, text) => {
				const lines = text.split("\n");
				const kept = lines.filter((line) => !runs.test(line) || own.has(line));
				if (kept.length === lines.length) return [];
				const at = directory.at("git-rebase-todo");
				unlinkSync(at);
				writeFileSync(at, kept.join("\n"), { flag: "wx", mode: 0o644 });
				const what = `${join(directory.path, "git-rebase-todo")} lost its lines with exec: git would run them outside. Run these commands yourself`;
				return [{ what, mayRunOutside: false }];
			}),
	);
}

/** Removes what is no file of its own; `edit` gets the text of the others. */
function inFolder(
	parent: HeldDirectory,
	folder: string,
	name: string,
	edit: (directory: HeldDirectory, text: string) => Denial[],
): Denial[] {
	const info = statsOf(parent.at(folder));
	if (info?.isSymbolicLink()) return unlinked(parent, folder);
	if (!info?.isDirectory()) return [];
	using directory = parent.enter(folder);
	const file = statsOf(directory.at(name));
	if (!file || file.isDirectory()) return [];
	const text = readWritten(directory.at(name))?.toString("utf8");
	return text === undefined ? unlinked(directory, name) : edit(directory, text);
}

function unlinked(directory: HeldDirectory, name: string): Denial[] {
	unlinkSync(directory.at(name));
	const what = `${join(directory.path, name)} was removed: git would run what it leads to`;
	return [{ what, mayRunOutside: false }];
}

/** Removes what a repository would make git run, such as filters. */
function withoutPrograms(
	directory: HeldDirectory,
	name: string,
	rules: SettingsRules,
	own?: OwnSettings,
): Denial[] {
	const path = join(directory.path, name);
	const info = statsOf(directory.at(name));
	if (info === undefined || info.isDirectory()) return [];
	const bytes = readWritten(directory.at(name));
	if (bytes === undefined) {
		// A link, a pipe, or too large to look at: git would read what it leads to.
		unlinkSync(directory.at(name));
		return [{ what: `${path} was removed: it is not an ordinary file of settings`, mayRunOutside: false }];
	}
	const reduced = reducedSettings(bytes, name === "config", rules, own);
	if (reduced === undefined) return [];
	const what = `${path} was reduced to settings that run no program`;
	// The user may have set something while the command ran, which cannot be told from what the command has written.
	const kept = own === undefined ? undefined : `${name}.replaced-${shortId()}`;
	if (kept === undefined) unlinkSync(directory.at(name));
	else renameSync(directory.at(name), directory.at(kept));
	writeFileSync(directory.at(name), reduced, { flag: "wx", mode: 0o644 });
	const help = kept && `. What it was is in ${kept}: if you have set something meanwhile, set it again`;
	return [{ what: `${what}${help ?? ""}`, mayRunOutside: false }];
}

/** Git would write and delete there: only where its `.git` leads back, and through no link. */
function isWorkTree(gitDir: string, value: string, isWritable: WriteCheck): boolean {
	const tree = resolve(gitDir, value);
	const dotGit = join(tree, ".git");
	if (tree === "/" || !isWritable(tree) || !isWithoutLinks(dotGit)) return false;
	if (dotGit === gitDir) return true;
	const pointer = pointerAt(dotGit);
	return typeof pointer === "object" && resolve(tree, pointer.target) === gitDir;
}

/** Git tries these in the place of a path. */
const remoteEndings = ["", "/.git", ".git", ".git/.git"];

/** Where a remote of a made repository may be: Tau looks at those that commands can write. */
export function remotePaths(tree: string, path: string): string[] {
	return remoteEndings.map((ending) => resolve(tree, path) + ending);
}

function isLocalRemote(tree: string, path: string, isWritable: WriteCheck): boolean {
	let at = isAbsolute(path) ? "/" : tree;
	// `git clone ../x` writes where it was, and `../x` behind it.
	for (const part of path.split("/")) {
		if (part === ".." && !isWithoutLinks(at)) return false;
		at = join(at, part);
	}
	return remotePaths(tree, path).every((each) =>
		isWritable(each) ? isWithoutLinks(each) : isSameForAll(each),
	);
}
