/**
 * What commands of git that only read would run in a repository: programs that its settings name, such as `core.fsmonitor`, and
 * hooks. Who unpacks a repository of a stranger, or a command that does, plants them.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

import { findRepository, GitIndex, gitDirectoryAt } from "@tau/sys";
import { expandHome, shortenHome } from "@tau/utils";

import { limits } from "./limits.ts";
import { isWithin } from "./real-path.ts";

interface Checked {
	/** The working tree. */
	readonly root: string;
	readonly gitDir: string;
	readonly home: string;
	readonly changes: NonNullable<GitCommand["changes"]>;
}

/** What a command does before git looks at a repository. */
export interface GitCommand {
	/** The index may name others of this tree then. */
	readonly addsRepositories?: boolean;
	/** Files that it changes; undefined for one that is not known. */
	readonly changes?: readonly (string | undefined)[];
}

/** A sentence for the user; undefined if git runs nothing there. `isOwn`: the user has allowed the code of a repository. */
export async function programsOf(
	directories: readonly string[],
	home: string,
	isOwn: (root: string) => boolean,
	command: GitCommand = {},
): Promise<string | undefined> {
	for (const directory of directories) {
		const found = await findRepository(directory);
		if (!found || isOwn(found.root)) continue;
		const others = command.addsRepositories ? repositoriesBelow(found.root) : [];
		const why = await programsIn({ ...found, home, changes: command.changes ?? [] }, others);
		if (why !== undefined) return why;
	}
	return undefined;
}

/** Where a repository may be that the index does not name yet; undefined if the tree is too large to look for them. */
function repositoriesBelow(root: string): readonly string[] | undefined {
	const pending = [root];
	const found: string[] = [];
	for (let entries = 0; pending.length > 0;) {
		const at = pending.pop() ?? "";
		for (const entry of readdirSync(at, { withFileTypes: true })) {
			if (++entries > limits.treeEntries) return undefined;
			if (entry.name === ".git" && at !== root) found.push(relative(root, at));
			else if (entry.isDirectory() && entry.name !== ".git") pending.push(join(at, entry.name));
		}
	}
	return found;
}

async function programsIn(
	repository: Checked,
	others: readonly string[] | undefined = [],
	depth = 0,
): Promise<string | undefined> {
	const { root, gitDir } = repository;
	const where = shortenHome(gitDir);
	const common = commonOf(gitDir);
	const reader = new SettingsReader({ ...repository, gitDir: common });
	for (const file of [join(common, "config"), join(gitDir, "config.worktree")]) reader.read(file);
	if (reader.program !== undefined) return `git runs what ${reader.program} in ${where} names`;
	const hooks = reader.hooks ?? join(common, "hooks");
	// Hooks and settings may be files of the project (`.husky`, `include.path`).
	const open = [hooks, ...reader.files].find(
		(path) =>
			!isWithin(path, gitDir) &&
			!isWithin(path, common) &&
			repository.changes.some(
				(change) => change === undefined || isWithin(change, path) || isWithin(path, change),
			),
	);
	if (open !== undefined) return `git uses ${shortenHome(open)}, which the command may change`;
	const hook = unaskedHooks.find((name) => existsSync(join(hooks, name)));
	if (hook !== undefined) return `git runs the hook ${shortenHome(join(hooks, hook))}`;
	const links = submodulesOf(gitDir);
	if (links === undefined || others === undefined || depth > limits.submoduleDepth)
		return `git may look into repositories inside of ${shortenHome(root)} that cannot be checked`;
	for (const path of new Set([...links, ...others])) {
		const inside = await gitDirectoryAt(join(root, path, ".git"));
		if (inside === undefined) continue;
		const why = await programsIn({ ...repository, root: join(root, path), gitDir: inside }, [], depth + 1);
		if (why !== undefined) return why;
	}
	return undefined;
}

/** Hooks of commands that are not asked about: those that refresh the index, or change refs. */
const unaskedHooks = ["post-index-change", "reference-transaction"];

/** The directory that worktrees share. */
function commonOf(gitDir: string): string {
	const pointer = textOf(join(gitDir, "commondir"))?.trim();
	return pointer === undefined || pointer === "" ? gitDir : resolve(gitDir, pointer);
}

/** Repositories that git looks into because the index names them; undefined if that is of a kind that is not read here. */
function submodulesOf(gitDir: string): readonly string[] | undefined {
	if (!existsSync(join(gitDir, "index"))) return [];
	const links = GitIndex.read(gitDir)?.submodules();
	return links === undefined || links.length > limits.submodules ? undefined : links;
}

/** Settings that name a program, by `section.key`, or `section.*.key` where there is a part between; and values of them that do not. */
const programs: readonly (readonly [name: RegExp, harmless?: RegExp])[] = [
	[/^core\.fsmonitor$/, /^(?:true|false|yes|no|on|off|0|1)?$/i],
	[/^diff\.(?:external|.*\.(?:command|textconv))$/],
	[
		/^filter\..*\.(?:clean|smudge|process)$/,
		/^git[- ]lfs (?:clean|smudge)(?: --skip)? -- %f$|^git[- ]lfs filter-process(?: --skip)?$/,
	],
	[/^merge\..*\.driver$/, /^(?:true|false)$/],
	[/^(?:core\.pager|pager\..+)$/, /^(?:(?:less|more|cat|delta)(?: -[\w-]+)*|true|false|)$/],
	[/^(?:browser|man|guitool|tar)\..*\.(?:cmd|path|command)$/],
	[/^(?:help\.browser|gc\.recentobjectshook)$/],
	// What git names so in other sections, and in later versions: `gpg.ssh.defaultKeyCommand`, `interactive.diffFilter`.
	[
		/^(?!(?:difftool|mergetool|sendemail|credential|alias)\.|core\.(?:editor|sshcommand)$).*(?:command|cmd|program|difffilter)$/,
	],
];

/** A partial clone: git fetches what is missing, also an object that nobody has but a model has named. */
const partial = /^(?:extensions\.partialclone|remote\..*\.(?:promisor|partialclonefilter))$/;

class SettingsReader {
	/** The first setting that names a program. */
	program: string | undefined;
	/** Where the settings say that hooks are. */
	hooks: string | undefined;
	readonly files = new Set<string>();
	readonly #repository: Checked;

	constructor(repository: Checked) {
		this.#repository = repository;
	}

	read(file: string): void {
		if (this.files.has(file) || !existsSync(file)) return;
		this.files.add(file);
		const text = textOf(file);
		const found = text === undefined || this.files.size > limits.settingsFiles ? undefined : settingsIn(text);
		if (!found) this.program ??= shortenHome(file);
		for (const [name, value] of found ?? []) this.#take(name, value, file);
	}

	#take(name: string, value: string, file: string): void {
		const { root, gitDir, home } = this.#repository;
		const known = programs.find(([pattern]) => pattern.test(name));
		if (known && known[1]?.test(value) !== true) this.program ??= name;
		if (name === "core.hookspath") this.hooks = resolve(root, expandHome(value, home));
		// Git would show the files of another directory as changes.
		if (name === "core.worktree" && !isWithin(resolve(gitDir, value), root)) this.program ??= name;
		if (partial.test(name)) this.program ??= name;
		if (/^include(?:if\..*)?\.path$/.test(name)) this.read(resolve(dirname(file), expandHome(value, home)));
	}
}

/** Names in small letters with their values; undefined for what git would refuse, or what is not understood as it does. */
function settingsIn(whole: string): (readonly [name: string, value: string])[] | undefined {
	const text = whole.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
	const found: (readonly [string, string])[] = [];
	let section = "";
	for (let at = 0; at < text.length;) {
		const blank = match(/\s+|[#;].*/y, text, at);
		const header = match(/\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?\]/y, text, at);
		const key = match(/([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)/y, text, at);
		at += (blank ?? header ?? key)?.[0].length ?? text.length;
		if (blank) continue;
		if (header)
			section = [header[1], ...(header[2] === undefined ? [] : [header[2]])].join(".").toLowerCase();
		else if (key && section !== "") {
			const read = key[2] === "=" ? valueAt(text, at) : { value: "true", end: at };
			if (!read) return undefined;
			found.push([`${section}.${(key[1] ?? "").toLowerCase()}`, read.value]);
			at = read.end;
		} else return undefined;
	}
	return found;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
	pattern.lastIndex = at;
	return pattern.exec(text);
}

/** A value ends with its line, which a backslash continues, but not in a comment. */
function valueAt(text: string, from: number): { value: string; end: number } | undefined {
	let value = "";
	let isQuoted = false;
	for (let at = from; at <= text.length; at++) {
		const char = text[at] ?? "\n";
		if (char === "\n") return isQuoted ? undefined : { value: value.trim(), end: at };
		if (!isQuoted && /[#;]/.test(char)) {
			const end = text.indexOf("\n", at);
			return { value: value.trim(), end: end < 0 ? text.length : end };
		}
		if (char === '"') isQuoted = !isQuoted;
		else if (char !== "\\") value += char;
		else {
			const next = text[++at] ?? "";
			if (next !== "\n") value += next;
		}
	}
	return undefined;
}

/** Undefined if it is not an ordinary file of a size that is read. */
function textOf(path: string): string | undefined {
	try {
		const info = statSync(path);
		return info.isFile() && info.size <= limits.ruleFileBytes ? readFileSync(path, "utf8") : undefined;
	} catch {
		// Git cannot read it either.
		return undefined;
	}
}
