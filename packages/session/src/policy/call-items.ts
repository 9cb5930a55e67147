/** Takes a tool call apart into the things that are judged one by one: programs, files, addresses, or the tool itself. */
import { lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import type { FrozenCall, ToolApproval, Touch } from "@tau/agent";
import { commandFacts, type CommandFacts, type ProgramRun } from "@tau/sys/commands";
import { oneLine, shortenHome } from "@tau/utils";

import type { WholeCommand } from "./grants.ts";
import { factsWithNames } from "./leading-patterns.ts";
import { limits } from "./limits.ts";
import { movedDirectory } from "./moved-directories.ts";
import { matchesOf, type ScanBudget } from "./pattern-files.ts";
import { asPlanted, plants } from "./planted-programs.ts";
import { isWithin, realPath } from "./real-path.ts";
import { settingsOf } from "./project-settings.ts";
import { linkedPatternFiles } from "./ignore-files.ts";
import { secretsBelow } from "./protected-paths.ts";
import { programsOf, type FoundRepositories, type GitCommand } from "./repository-programs.ts";
import { linkAboveTracked } from "./tracked-links.ts";

/** A program or a change by a command is contained by a sandbox; what a tool does in Tau's own process is not. */
export type CallItem =
	| { readonly kind: "run"; readonly run: ProgramRun }
	/** A command whose facts may be incomplete. */
	| {
			readonly kind: "unknown";
			readonly reason: string;
			readonly isTyped?: boolean;
			/** It runs on another machine. */
			readonly isRemote?: boolean;
			/** All is known as far as the shell is what Tau takes it for: enough where something contains the command. */
			readonly isIntricate?: boolean;
	  }
	| FileItem
	| {
			readonly kind: "fetch";
			readonly url: string;
			readonly host: string;
			readonly port?: number;
			readonly isOwn?: boolean;
	  }
	| {
			readonly kind: "tool";
			readonly name: string;
			/** Another name that rules may have for it. */
			readonly alias?: string;
			readonly tier: ToolApproval;
			readonly isUndeclared: boolean;
			/** What the question says about it, if it is known: the tool of an MCP server. */
			readonly label?: string;
	  };

export interface FileItem {
	readonly kind: "read" | "write";
	/** As given and without links; empty where only the shell can know it. */
	readonly paths: readonly string[];
	/** For display. */
	readonly text: string;
	readonly isTree: boolean;
	readonly byCommand: boolean;
	/** A command would delete it. */
	readonly deletes?: boolean;
	/** A command would give it another name. */
	readonly moves?: boolean;
	/** A command would write files of other names in it. */
	readonly into?: boolean;
	/** Links below it are followed. */
	readonly follows?: boolean;
}

/** What is asked of the machine that a call works on, where that is not this one. */
export interface RemoteFiles {
	/** Paths without links, also of files that do not exist; undefined for what cannot be resolved. */
	realPaths(paths: readonly string[], signal: AbortSignal): Promise<(string | undefined)[]>;
	/** The first of the directories that is inside of a repository without a working tree, as git would find it. */
	bareRepository(directories: readonly string[], signal: AbortSignal): Promise<string | undefined>;
}

export interface CallSurroundings {
	readonly home: string;
	/** Links are followed where the files are. */
	readonly there?: RemoteFiles | undefined;
	readonly signal?: AbortSignal;
	/** Whether the user has allowed the code of this repository. */
	isOwn?(root: string): boolean;
	/** Directories of PATH in which a call may write unasked, for a command that starts in `cwd`. */
	openDirectories?(cwd: string, ofShell?: readonly string[]): readonly string[];
	/** The directories of PATH. */
	readonly searchPath?: readonly string[];
	/** Directories in which a call may write, without links. */
	readonly roots?: readonly string[];
}

export async function callItems(call: FrozenCall, around: CallSurroundings): Promise<CallItem[]> {
	const { home, there, signal = new AbortController().signal, isOwn = () => false } = around;
	const { searchPath = [], roots = [] } = around;
	const findBare: Surroundings["findBare"] = async (directories, made) =>
		there
			? await there.bareRepository(directories, signal)
			: directories.find((directory) => isBareRepository(directory, made));
	const findPrograms = async (facts: CommandFacts): Promise<FoundRepositories> =>
		there ? { roots: [] } : await programsOf(facts.repositories, home, isOwn, gitCommandOf(facts));
	const openDirectories = (cwd: string, ofShell?: readonly string[]): readonly string[] =>
		there ? [] : (around.openDirectories?.(cwd, ofShell) ?? []);
	const isHere = there === undefined;
	const isLinked = async ({ cwd, command }: ExecTouch): Promise<boolean> =>
		command.includes(".") && cwd !== (there ? (await there.realPaths([cwd], signal))[0] : realPath(cwd));
	const settings = (facts: CommandFacts, cwd: string): string | undefined =>
		there ? undefined : settingsOf(facts, { cwd: realPath(cwd), home, searchPath, roots });
	const items = await itemsOf(call, {
		home,
		isHere,
		isLinked,
		findBare,
		findPrograms,
		openDirectories,
		settings,
	});
	if (!there) return items;
	const given = (item: CallItem): string | undefined => ("paths" in item ? item.paths[0] : undefined);
	const paths = [...new Set(items.map(given).filter((path) => path !== undefined))];
	if (paths.length === 0) return items;
	const real = await there.realPaths(paths, signal);
	const resolved = new Map(paths.map((path, index) => [path, real[index] ?? path]));
	return items.map((item) => {
		const path = given(item);
		return path === undefined ? item : { ...item, paths: [...new Set([path, resolved.get(path) ?? path])] };
	});
}

type ExecTouch = Extract<Touch, { kind: "exec" }>;

interface Surroundings {
	readonly home: string;
	readonly isHere: boolean;
	/** Whether a link leads to the directory of a command, where that matters. */
	isLinked(touch: ExecTouch): Promise<boolean>;
	findBare(directories: readonly string[], made: readonly string[]): Promise<string | undefined>;
	/** What git would run there, as a reason, and where. */
	findPrograms(facts: CommandFacts): Promise<FoundRepositories>;
	/** Of the project, which programs read, as a reason. */
	settings(facts: CommandFacts, cwd: string): string | undefined;
	openDirectories(cwd: string, ofShell?: readonly string[]): readonly string[];
}

async function itemsOf(call: FrozenCall, around: Surroundings): Promise<CallItem[]> {
	const { tool, touches } = call;
	const items: CallItem[] = [];
	for (const touch of touches) {
		if (touch.kind === "fetch") items.push(resourceItem(touch.url) ?? fetchItem(touch.url, touch.isOwn));
		else if (touch.kind === "exec" && touch.machine !== undefined)
			items.push({ kind: "unknown", reason: `it runs on ${touch.machine}`, isRemote: true });
		else if (touch.kind === "exec" && touch.language !== undefined)
			items.push({ kind: "unknown", reason: `it is a program in ${touch.language}` });
		else if (touch.kind === "exec") items.push(...(await commandItems(touch, around)));
		else
			items.push(
				fileItem(touch.kind === "read" ? "read" : "write", touch.path, { isTree: touch.tree === true }),
			);
	}
	// What a call touches is judged instead of its tier only if it accounts for the tier: a tool that executes code and
	// lists no command, or only files that it reads, still executes code.
	const tier = tool.approvalFor?.(call.arguments) ?? tool.approval;
	const isAccounted = touches.some(({ kind }) => reach(kind) >= reach(tier));
	if (!isAccounted || tool.isUndeclared)
		items.push({
			kind: "tool",
			name: call.name,
			tier,
			isUndeclared: tool.isUndeclared === true,
			...servedBy(tool.aliases),
		});
	return items;
}

/** Tools of MCP servers have a name that contains the server's. */
function servedBy(aliases: readonly string[] = []): { label?: string } {
	const [, server, tool] = aliases.map((alias) => /^mcp__(.+?)__(.+)$/s.exec(alias)).find(Boolean) ?? [];
	if (server === undefined || tool === undefined) return {};
	// The server has chosen the name: it must not push its own out of sight.
	return { label: `the tool ${oneLine(tool, limits.toolNameChars)} of the MCP server ${server}` };
}

/** Orders tiers and touches by what they may do. */
function reach(kind: Touch["kind"]): number {
	if (kind === "exec") return 2;
	return kind === "write" || kind === "delete" ? 1 : 0;
}

/** The command with the variables that are set for it, as a shell would run it: they are judged and shown, too. */
export function commandText({ command, env = {} }: ExecTouch): string {
	const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
	const exports = Object.entries(env).map(([name, value]) => {
		// A name that is not plain may define a function (`BASH_FUNC_git%%`), which `env` alone can set.
		const isPlain = /^[A-Za-z_]\w*$/.test(name);
		return isPlain ? `export ${name}=${quoted(value)}\n` : `eval "env ${quoted(`${name}=${value}`)} $0"\n`;
	});
	return exports.join("") + command;
}

/** The call with what it touches now: it may be another directory that the shell is in. */
export function withTouches(call: FrozenCall): FrozenCall {
	const touches = call.tool.touches?.(call.arguments) ?? [];
	return Object.create(call, { touches: { value: touches, enumerable: true } }) as FrozenCall;
}

/** What a call would execute, if anything. */
export function execOf({ touches }: FrozenCall): Extract<Touch, { kind: "exec" }> | undefined {
	return touches.find((touch) => touch.kind === "exec");
}

/** Its command as the user sees it when asked. */
export function commandOf(call: FrozenCall): WholeCommand | undefined {
	const touch = execOf(call);
	if (!touch) return undefined;
	// A yes to a program in another language is none to a command with the same text.
	const language = touch.language === undefined ? "" : `${touch.language}:\n`;
	return { text: language + commandText(touch), cwd: touch.cwd };
}

async function commandItems(touch: ExecTouch, around: Surroundings): Promise<CallItem[]> {
	const { cwd, isTyped = false } = touch;
	const { home, isHere, isLinked, findBare, findPrograms, openDirectories, settings } = around;
	const at = { cwd, home, isLinked: await isLinked(touch) };
	const facts = (isHere ? factsWithNames : commandFacts)(commandText(touch), at);
	const open = openDirectories(cwd, touch.searchPath);
	const items: CallItem[] = facts.programs.map((run) => ({ kind: "run", run: asPlanted(run, open) }));
	if (plants(facts, open))
		items.push({ kind: "unknown", reason: "the command changes programs that it may find on PATH" });
	for (const { path, text, inDirectory, isTree = false, ...how } of facts.writes) {
		if (path !== undefined && harmlessTargets.has(path)) continue;
		if (path !== undefined && inDirectory && isHere && !isDirectory(dirname(path))) continue;
		items.push(fileItem("write", path, { text, isTree, byCommand: true, ...how }));
	}
	const followed = new Set(facts.followedTrees);
	const trees = new Set([...facts.readTrees, ...facts.treeGlobs]);
	// Only a directory has anything below it.
	const how = (name: string, path = name): Partial<FileItem> =>
		trees.has(name) && !(isHere && isFile(path))
			? { isTree: true, byCommand: true, follows: followed.has(name) }
			: { byCommand: true };
	for (const path of new Set([...facts.reads, ...facts.readTrees]))
		items.push(fileItem("read", path, how(path)));
	const budget = isHere ? { entries: limits.globEntries } : undefined;
	for (const pattern of new Set([...facts.readGlobs, ...facts.treeGlobs]))
		items.push(...matchItems(pattern, budget, (path) => how(pattern, path)));
	const found = await findPrograms(facts);
	items.push(...historyItems(facts, found.roots, home), ...(isHere ? patternFileItems(facts) : []));
	const hidden = (await hiddenRepository(facts, cwd, findBare)) ?? found.reason ?? settings(facts, cwd);
	if (hidden !== undefined) items.push({ kind: "unknown", reason: hidden });
	if (touch.isBackground && namesFiles(facts))
		items.push({
			kind: "unknown",
			reason: "it names files, and runs beside later commands",
			isIntricate: true,
		});
	const link = isHere ? (movedDirectory(facts, cwd) ?? (await linkAboveTracked(facts))) : undefined;
	if (link !== undefined) items.push({ kind: "unknown", reason: link, isIntricate: true });
	const reason = isTyped ? "only the program that it is typed into knows what it does" : facts.unknown;
	if (reason !== undefined) items.push({ kind: "unknown", reason, isTyped });
	else if (facts.intricate !== undefined)
		items.push({ kind: "unknown", reason: facts.intricate, isIntricate: true });
	return items;
}

/** They may be others by the time that it opens them. */
function namesFiles({ reads, readTrees, readGlobs, treeGlobs, writes }: CommandFacts): boolean {
	return [reads, readTrees, readGlobs, treeGlobs, writes].some((list) => list.length > 0);
}

/** `git add sub && git status` looks into a repository that the index names only then. */
function gitCommandOf({ programs, writes }: CommandFacts): GitCommand {
	const runs = programs.filter(({ name }) => name === "git");
	return {
		addsRepositories: runs.length > 1 && runs.some(({ effect }) => effect !== "read"),
		changes: writes.map(({ path }) => path),
		showsContent: runs.some(showsContent),
	};
}

const contents =
	/^(?:log|show|diff|blame|annotate|grep|cat-file|stash|reflog|whatchanged|archive|format-patch)$/;

function showsContent({ name, argv }: ProgramRun): boolean {
	return name === "git" && argv.some((word) => word === undefined || contents.test(word));
}

/** The history of a repository that contains secrets may contain them, too. */
function historyItems({ programs }: CommandFacts, roots: readonly string[], home: string): FileItem[] {
	if (!programs.some(showsContent)) return [];
	const secret = roots.filter((root) => secretsBelow(root, { home, ownSecrets: [] }) !== undefined);
	return secret.map((root) => fileItem("read", root, { isTree: true, byCommand: true }));
}

function patternFileItems(facts: CommandFacts): CallItem[] {
	const found = linkedPatternFiles(facts);
	if (typeof found === "string") return [{ kind: "unknown", reason: found }];
	return found.map((path) => fileItem("read", path, { byCommand: true }));
}

/** A directory of the project that looks like the inside of a repository is one for git, and its `config` can name programs. */
async function hiddenRepository(
	{ repositories, writes }: CommandFacts,
	cwd: string,
	findBare: Surroundings["findBare"],
): Promise<string | undefined> {
	const made = writes.flatMap(({ path, deletes }) =>
		path === undefined || deletes ? [] : [path, realPath(path)],
	);
	const place = repositories.length === 0 ? undefined : await findBare(repositories, made);
	if (place !== undefined) return `git uses the settings in ${shortenHome(place)}, which can name programs`;
	const other = repositories.find((directory) => directory !== cwd);
	if (other === undefined || writes.length === 0) return undefined;
	return `git uses the settings in ${shortenHome(other)}, which the command may change`;
}

function isFile(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
	} catch {
		// Commands of this user cannot get there either.
		return false;
	}
}

function isDirectory(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
	} catch {
		// Commands of this user cannot get there either.
		return false;
	}
}

/** `made`: what the same command makes before (`mkdir refs; git status`). */
function isBareRepository(directory: string, made: readonly string[]): boolean {
	for (let at = realPath(directory); ; at = dirname(at)) {
		// A link counts even if it leads nowhere, as it does for git.
		const has = (name: string): boolean => lstatSync(join(at, name), { throwIfNoEntry: false }) !== undefined;
		const may = (name: string): boolean => has(name) || made.some((path) => isWithin(path, join(at, name)));
		// Git takes it for one also beside a `.git` that is none.
		if (may("HEAD") && (may("commondir") || (may("objects") && may("refs")))) return true;
		if (has(".git")) return false;
		if (at === dirname(at)) return false;
	}
}

/** The files that match now. Where they cannot be listed, or are elsewhere, the directory is judged as a tree. */
function matchItems(
	pattern: string,
	budget: ScanBudget | undefined,
	how: (path: string) => Partial<FileItem>,
): CallItem[] {
	const matches = budget && matchesOf(pattern, budget);
	if (matches) return matches.map((path) => fileItem("read", path, how(path)));
	const names = pattern.split("/");
	const first = names.findIndex((name) => /[*?[\]{}\\]/u.test(name));
	const base = names.slice(0, first).join("/") || "/";
	const whole = fileItem("read", base, { isTree: true, byCommand: true });
	const reason = `which files ${shortenHome(pattern)} matches is too much to list`;
	return budget ? [whole, { kind: "unknown", reason, isIntricate: true }] : [whole];
}

const harmlessTargets = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"]);

export function fileItem(
	kind: "read" | "write",
	path: string | undefined,
	{ text = path ?? "", isTree = false, byCommand = false, ...more }: Partial<FileItem> = {},
): FileItem {
	const paths = path === undefined ? [] : [...new Set([path, realPath(path)])];
	return { kind, paths, text, isTree, byCommand, ...more };
}

/** Rules about all tools of an MCP server are also about its resources, which `read` opens. */
function resourceItem(url: string): CallItem | undefined {
	// A range of lines may follow, as it does for `read`.
	const [, server] = /^mcp:\/\/([^/]*?)(?::[\d+:L-]+)?(?:\/|$)/is.exec(url) ?? [];
	if (server === undefined) return undefined;
	const [name, alias] = [`mcp__${server}__resources`, `mcp_${server}_resources`];
	return { kind: "tool", name, alias, tier: "read", isUndeclared: false };
}

function fetchItem(url: string, isOwn = false): CallItem {
	// An address that cannot be parsed has no host that a rule could allow.
	const { hostname = "", port = "" } = URL.parse(url) ?? {};
	const named = port === "" ? {} : { port: Number(port) };
	return { kind: "fetch", url, host: hostname.toLowerCase(), ...named, ...(isOwn ? { isOwn } : {}) };
}
