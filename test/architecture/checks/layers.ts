/** Imports follow the arrows of docs/architecture.md, use the entry points of packages, and form no cycle. */
import { cycles } from "../cycles.ts";
import { folderCycles } from "../folders.ts";
import { knots } from "../knots.ts";
import { parseJson } from "../json.ts";
import { homeOf, readModules, resolveFrom, type Module } from "../modules.ts";
import { isTestingCode, isWorkbench } from "../paths.ts";
import { modeProblems } from "../modes.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";

const belowTools = ["utils", "sys", "machines", "ai", "agent", "wire", "config", "log", "session"];
const belowApplication = [...belowTools, "tools", "integrations", "resources", "extensions"];

/** What each package may import (docs/architecture.md, "Packages"). */
const arrows: Record<string, string[]> = {
	utils: [],
	sys: ["utils"],
	machines: ["utils", "sys"],
	tui: ["utils", "sys"],
	ai: ["utils"],
	agent: ["utils", "ai"],
	wire: ["utils"],
	config: ["utils", "sys", "ai"],
	log: ["utils", "sys", "machines", "ai", "agent", "wire"],
	// `web` for the page that an exported session is.
	session: ["utils", "sys", "machines", "ai", "agent", "wire", "config", "log", "web"],
	tools: [...belowTools],
	integrations: [...belowTools, "tools"],
	resources: [...belowTools, "tools", "integrations"],
	extensions: [...belowTools, "tools", "integrations", "resources"],
	compat: [...belowApplication, "tui", "stats"],
	bundled: [...belowApplication, "tui"],
	"session-commands": [...belowApplication, "bundled", "stats"],
	interactive: [...belowApplication, "tui", "compat", "bundled", "session-commands", "stats"],
	relay: ["wire", "utils"],
	// `agent` and `ai` for agents in the pages of others.
	web: ["wire", "utils", "agent", "ai"],
	gateway: ["utils", "ai"],
	// `sys` for the worker process that scans.
	stats: ["utils", "sys", "ai"],
	// `sys` for git; sessions are started by the application, and followed as every remote client does.
	fleet: ["utils", "sys", "wire"],
	cassette: ["utils", "ai", "wire"],
	testing: ["utils", "log", "session", "cassette", "coding-agent"],
	server: [
		...belowApplication,
		"session-commands",
		"interactive",
		"relay",
		"web",
		"gateway",
		"stats",
		"fleet",
	],
	"coding-agent": [
		...belowApplication,
		"tui",
		"compat",
		"bundled",
		"session-commands",
		"interactive",
		"server",
		"relay",
		"web",
		"gateway",
		"stats",
		"fleet",
		"cassette",
	],
};

/** Packages whose types, but not values, a package may import. */
const typeArrows: Record<string, string[]> = {
	// The signatures of the extension API name components and themes; only the application draws them.
	extensions: ["tui"],
};

/** Files of the repository's root that are embedded in the program as text. */
const carried = new Set(["CHANGELOG.md"]);

/** The import specifiers of each package, by its folder. */
type EntryPoints = Map<string, Set<string>>;
type Link = Module["links"][number];

export async function layers(root: string): Promise<Problem[]> {
	const [modules, entryPoints] = await Promise.all([readModules(root), readEntryPoints(root)]);
	const links = modules.flatMap((module) =>
		module.links.flatMap((link) => {
			const messages = link.relative ? judgeRelative(module, link) : judgeBare(module, link, entryPoints);
			return messages.map((message) => ({ file: module.path, line: link.line, message }));
		}),
	);
	return [
		...unknownPackages(entryPoints),
		...links,
		...modules.flatMap(modeProblems),
		...cycles(modules),
		...folderCycles(modules),
		...knots(modules),
	];
}

async function readEntryPoints(root: string): Promise<EntryPoints> {
	const manifests = await readFiles(root, (path) => /^packages\/[^/]+\/package\.json$/.test(path));
	return new Map(
		manifests.map(({ path, text }) => {
			const manifest = parseJson<{ name: string; exports?: Record<string, string> }>(text);
			const paths = Object.keys(manifest?.exports ?? { ".": "" });
			return [
				homeOf(path) ?? "",
				new Set(paths.map((entryPoint) => `${manifest?.name}${entryPoint.slice(1)}`)),
			];
		}),
	);
}

function unknownPackages(entryPoints: EntryPoints): Problem[] {
	const unknown = [...entryPoints.keys()].filter((home) => arrows[home] === undefined);
	const message = "has no arrows: add them to docs/architecture.md and in test/architecture/checks/layers.ts";
	return unknown.map((home) => ({ file: `packages/${home}/package.json`, message }));
}

function judgeRelative({ path, home }: Module, { specifier, target }: Link): string[] {
	const imported = target ?? resolveFrom(path, specifier);
	const problems: string[] = [];
	const mayBeOutside = carried.has(imported) || (isWorkbench(path) && imported.startsWith("test/support/"));
	if (homeOf(imported) !== home && !mayBeOutside) {
		problems.push(`"${specifier}" imports a file of another package: import the package by its name`);
	}
	if (target !== undefined && target !== resolveFrom(path, specifier)) {
		problems.push(`"${specifier}" omits the file extension: write ${target}`);
	}
	if (isTestingCode(imported) && !isTestingCode(path) && !isWorkbench(path)) {
		problems.push(
			`"${specifier}" imports a test helper into product code: only tests, bench and scripts may import testing/`,
		);
	}
	return problems;
}

function judgeBare({ path, home }: Module, { specifier, kind }: Link, entryPoints: EntryPoints): string[] {
	const [, name] = /^@tau\/([^/]+)/.exec(specifier) ?? [];
	if (name === undefined) return [];
	const problems: string[] = [];
	if (!entryPoints.get(name)?.has(specifier)) {
		problems.push(`"${specifier}" is not an entry point of @tau/${name}: export it from its index.ts`);
	}
	if (home === name && !isWorkbench(path)) {
		problems.push(`"${specifier}" imports its own package by name: use a relative path inside a package`);
	}
	// A test may drive the whole program, through its entry points.
	const isAllowed =
		home === undefined ||
		home === name ||
		isWorkbench(path) ||
		arrows[home]?.includes(name) ||
		(kind === "type" && typeArrows[home]?.includes(name));
	if (!isAllowed) {
		const below = arrows[home]?.join(", ") || "nothing";
		problems.push(`${home} may not import ${name}, only: ${below} (docs/architecture.md)`);
	}
	if (specifier.endsWith("/testing") && !isWorkbench(path) && !isTestingCode(path)) {
		problems.push(`"${specifier}" is for tests, bench and scripts only`);
	}
	return problems;
}
