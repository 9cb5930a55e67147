/** The code that a project would run: its extensions, hooks and tools, each with a hash that tells whether it has changed. */
import { delimiter, isAbsolute, join, relative, resolve } from "node:path";

import { isRecord, stripControls } from "@tau/utils";

import { infoOf, isInside, listFiles, readText } from "@tau/resources/discovery";
import { readServers, commandsOf } from "@tau/resources/mcp/definitions";
import { findPackages } from "../packages/find.ts";
import { openPackage } from "../packages/installed-package.ts";
import { readTemplate, parseTemplate } from "@tau/resources/prompt-templates";
import { discoveryPaths, type DiscoveryPaths, type Part, sources } from "@tau/resources/sources";
import { limits } from "../support/limits.ts";
import { CodeList, unknownHash, type ProjectCode } from "./code-list.ts";
import { projectExtensions } from "./project-settings.ts";

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
];

/** Other settings may change without anything new being run. */
const settingsFiles = [
	".tau/config.yml",
	".tau/settings.json",
	".tau/plugin-overrides.json",
	".tau/plugins/tau-plugins.lock.json",
	".omp/config.yml",
	".omp/settings.json",
	".omp/plugin-overrides.json",
	".pi/settings.json",
	".claude/settings.json",
	".claude/settings.local.json",
];
const settingsKeys = [
	"extensions",
	"hooks",
	"disableAllHooks",
	"packages",
	"plugins",
	"enabledPlugins",
	"features",
	"settings",
	// What they allow runs without a question where the user lets projects allow calls.
	"permissions",
	"tools",
];

const projectParts = sources.flatMap(({ project }) => project);
const mcpParts = projectParts.filter((part) => part.kind === "mcp");
const hookParts = projectParts.filter(({ kind }) => kind === "hooks");
const templateParts = projectParts.filter((part) => part.kind === "commands");

export function projectCode(cwd: string): ProjectCode {
	const paths = discoveryPaths(cwd, process.env);
	const list = new CodeList(cwd, paths.realRoot);
	for (const directory of directories) list.addTree(join(cwd, directory));
	for (const path of projectExtensions(cwd)) {
		list.add(path);
		list.addTree(path);
	}
	addPackages(paths, list);
	for (const name of settingsFiles) addSettings(join(cwd, name), name, list);
	for (const { user, userBase } of sources)
		for (const { at } of user.filter(({ kind }) => kind === "hooks"))
			addScripts(readSettings(join(userBase?.(paths) ?? paths.home, at))?.hooks, paths, list, isScript);
	// Hooks and templates are found in all directories up to the root of the repository.
	for (const directory of paths.directories) {
		for (const { at } of hookParts) addHooks(directory, at, paths, list);
		for (const part of templateParts) addTemplates(directory, part, list);
		for (const part of mcpParts) addServers(directory, part, paths, list);
	}
	return list.code;
}

export function codeChanges(before: ProjectCode, now: ProjectCode): CodeChange[] {
	const removed = Object.keys(before).filter((path) => !Object.hasOwn(now, path));
	return [
		...Object.entries(now).flatMap(([path, hash]): CodeChange[] => {
			if (!Object.hasOwn(before, path)) return [{ path, kind: "new" }];
			return before[path] === hash && hash !== unknownHash ? [] : [{ path, kind: "changed" }];
		}),
		...removed.map((path): CodeChange => ({ path, kind: "removed" })),
	];
}

/** Packages that the project names or contains. */
function addPackages({ cwd, home, agentDir }: DiscoveryPaths, list: CodeList): void {
	for (const one of findPackages({ cwd, home, agentDir, isTrusted: true }).packages) {
		if (one.scope !== "project" || one.off !== undefined) continue;
		const { extensions, hooks, tools } = openPackage(one).contents.resources;
		for (const { path } of [...extensions, ...hooks, ...tools]) list.add(path);
		list.add(join(one.root, "package.json"));
	}
}

/** The settings that name code. */
function addSettings(file: string, name: string, list: CodeList): void {
	const value = readSettings(file);
	const keys = Object.keys(value ?? {});
	const found = settingsKeys.flatMap((key) =>
		keys.filter((each) => each === key || each.startsWith(`${key}.`)),
	);
	if (value && found.length > 0) list.addText(name, JSON.stringify(found.map((key) => [key, value[key]])));
}

/** A file of hooks, and the scripts in the project that its commands name. */
function addHooks(directory: string, at: string, { cwd, root }: DiscoveryPaths, list: CodeList): void {
	const file = join(directory, at);
	const hooks = readSettings(file)?.hooks;
	if (hooks === undefined) return;
	if (directory !== cwd || !settingsFiles.includes(at))
		list.addText(relative(cwd, file), JSON.stringify(hooks));
	addScripts(hooks, { cwd, root }, list);
}

/** MCP servers, with the scripts in the project that their commands name. */
function addServers(
	directory: string,
	{ at, keys }: Extract<Part, { kind: "mcp" }>,
	{ cwd, root, has }: DiscoveryPaths,
	list: CodeList,
): void {
	if (!has(directory, at.split("/")[0] ?? at)) return;
	const file = join(directory, at);
	const { servers } = readServers(file, keys, root);
	if (servers.length === 0) return;
	list.addText(serversEntry(cwd, file), JSON.stringify(servers));
	addScripts(servers, { cwd, root }, list);
}

/** Files of settings contain other things too, which have entries of their own. */
const mcpSuffix = " (MCP servers)";

/** The entry of the MCP servers that a file names. */
export function serversEntry(cwd: string, file: string): string {
	return `${relative(cwd, file)}${mcpSuffix}`;
}

/** What the MCP servers or hooks of an entry would run; empty for other entries. */
export function namedCommands(path: string): string[] {
	return [...serverCommands(path), ...hookCommands(path)];
}

function hookCommands(file: string): string[] {
	const hooks = hookParts.some(({ at }) => file.endsWith(`/${at}`)) ? readSettings(file)?.hooks : undefined;
	if (!isRecord(hooks)) return [];
	return Object.entries(hooks).flatMap(([event, value]) =>
		commandsIn(value).map((command) => `${event}: ${command}`),
	);
}

/** Hooks are lists of matchers with lists of hooks, in the files of all programs. */
function commandsIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(commandsIn);
	if (!isRecord(value)) return [];
	const own = typeof value.command === "string" ? [value.command] : [];
	return [...own, ...commandsIn(value.hooks)];
}

function serverCommands(path: string): string[] {
	const file = path.endsWith(mcpSuffix) ? path.slice(0, -mcpSuffix.length) : path;
	const part = mcpParts.find(({ at }) => file.endsWith(`/${at}`));
	const { servers } = part ? readServers(file, part.keys) : { servers: [] };
	return servers.flatMap(({ name, config }) => commandsOf(config).map((command) => `${name}: ${command}`));
}

/** The files of the project that a server would run, with what they import. */
export function serverCode(server: unknown, cwd: string, directory = cwd): ProjectCode {
	return commandCode(server, { cwd, directory, isRun: () => true });
}

/** The same for a hook. Other files that it names, such as its log, change with each run and are no code. */
export function hookCode(hook: unknown, cwd: string, directory = cwd): ProjectCode {
	return commandCode(hook, { cwd, directory, isRun: isScript });
}

/** The scripts of the project that a hook names, without what they import. */
export function hookScriptPaths(hook: unknown, cwd: string, directory = cwd): string[] {
	const { root } = discoveryPaths(cwd, process.env);
	const paths = new Set<string>();
	for (const at of new Set([cwd, resolve(cwd, directory)]))
		addScripts(hook, { cwd: at, root }, paths, isScript);
	return [...paths];
}

interface CommandPlace {
	readonly cwd: string;
	readonly directory: string;
	/** Whether a file that a command names is run by it. */
	isRun(path: string): boolean;
}

function commandCode(commands: unknown, { cwd, directory, isRun }: CommandPlace): ProjectCode {
	const { root, realRoot } = discoveryPaths(cwd, process.env);
	const list = new CodeList(cwd, realRoot);
	for (const at of new Set([cwd, resolve(cwd, directory)]))
		addScripts(commands, { cwd: at, root }, list, isRun);
	return list.code;
}

/** The files of the project that occur in commands. */
function addScripts(
	commands: unknown,
	{ cwd, root }: Pick<DiscoveryPaths, "cwd" | "root">,
	list: { add(path: string): unknown },
	isRun: (path: string) => boolean = () => true,
): void {
	// A program is the project's where a directory of the project is on PATH, such as an activated `.venv/bin`.
	const programs = (process.env.PATH ?? "")
		.split(delimiter)
		.filter((at) => isAbsolute(at) && isInside(at, root));
	for (const text of textsIn(commands)) {
		const command = text
			.replaceAll(/\$\{?(?:CLAUDE|TAU)_PROJECT_DIR\}?/g, root)
			.replaceAll(/\$\{workspace(?:Folder|Root)\}/g, cwd)
			.replaceAll(/["'\\]/g, "");
		const words = command.split(/[\s;|&<>()=`]+/).slice(0, limits.hookWords);
		for (const word of [...words, ...pythonModules(words)]) {
			const named = [resolve(cwd, word), resolve(root, word), ...programs.map((at) => join(at, word))];
			for (const path of new Set(named))
				if (isInside(path, root) && infoOf(path)?.isFile() && isRun(path)) list.add(path);
		}
	}
}

/** `python -m tools.check` runs a file of the directory in which it starts. */
function pythonModules(words: readonly string[]): string[] {
	return words.flatMap((word, at) => {
		const path = words[at - 1] === "-m" ? word.replaceAll(".", "/") : undefined;
		return path === undefined ? [] : [`${path}.py`, `${path}/__main__.py`, `${path}/__init__.py`];
	});
}

const scriptEnding = /\.(?:sh|bash|zsh|fish|py|[cm]?[jt]sx?|rb|pl|php|lua|ps1|jar|awk|sed|exe)$/i;

function isScript(path: string): boolean {
	return scriptEnding.test(path) || (Number(infoOf(path)?.mode ?? 0) & 0o111) !== 0;
}

function textsIn(value: unknown): string[] {
	if (typeof value === "string") return [value];
	return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Templates that run commands when they are used. */
function addTemplates(
	directory: string,
	{ at, ending, deep, format }: Extract<Part, { kind: "commands" }>,
	list: CodeList,
): void {
	for (const { path } of listFiles(join(directory, at), { endings: [ending], deep })) {
		const read = readTemplate(path, format);
		if (!read || "failure" in read || !read.body.includes("!")) continue;
		const pieces = parseTemplate(stripControls(read.body).trim(), format);
		if (pieces.some(({ kind }) => kind === "command")) list.add(path);
	}
}

/** Undefined for a file that is not there, or that its loader reports as broken: nothing of it is used. */
function readSettings(file: string): Record<string, unknown> | undefined {
	const read = readText(file, limits.manifestBytes);
	if (!read?.ok) return undefined;
	try {
		const value: unknown = file.endsWith(".yml") ? Bun.YAML.parse(read.text) : Bun.JSONC.parse(read.text);
		return isRecord(value) ? value : undefined;
	} catch {
		return undefined;
	}
}
