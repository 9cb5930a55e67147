/** Imports follow the arrows of DESIGN.md, go through the doors of packages, and end in no circle. */
import { cycles } from "../cycles.ts";
import { folderCycles } from "../folders.ts";
import { parseJson } from "../json.ts";
import { homeOf, readModules, resolveFrom, type Module } from "../modules.ts";
import { isTestingCode, isWorkbench } from "../paths.ts";
import { roomProblems } from "../rooms.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";

/** What each package may stand on (DESIGN.md, section 1). */
const arrows: Record<string, string[]> = {
	utils: [],
	sys: ["utils"],
	tui: ["utils", "sys"],
	ai: ["utils"],
	agent: ["utils", "ai"],
	wire: ["utils"],
	session: ["utils", "sys", "ai", "agent", "wire"],
	tools: ["utils", "sys", "ai", "agent", "wire", "session"],
	extensions: ["utils", "sys", "ai", "agent", "wire", "session", "tools"],
	compat: ["utils", "sys", "tui", "ai", "agent", "wire", "session", "tools", "extensions"],
	"coding-agent": ["utils", "sys", "tui", "ai", "agent", "wire", "session", "tools", "extensions", "compat"],
	relay: ["wire", "utils"],
	web: ["wire", "utils"],
};

/** Of these packages a package may use the types, which are gone at run time. */
const typeArrows: Record<string, string[]> = {
	// The signatures of the extension API name components and themes; only the application draws them.
	extensions: ["tui"],
};

/** Files of the repository's root that the program carries as text. */
const carried = new Set(["CHANGELOG.md"]);

/** The specifiers that a package answers to, by its folder. */
type Doors = Map<string, Set<string>>;
type Link = Module["links"][number];

export async function layers(root: string): Promise<Problem[]> {
	const [modules, doors] = await Promise.all([readModules(root), readDoors(root)]);
	const links = modules.flatMap((module) =>
		module.links.flatMap((link) => {
			const messages = link.relative ? judgeRelative(module, link) : judgeBare(module, link, doors);
			return messages.map((message) => ({ file: module.path, line: link.line, message }));
		}),
	);
	return [
		...unknownPackages(doors),
		...links,
		...modules.flatMap(roomProblems),
		...cycles(modules),
		...folderCycles(modules),
	];
}

async function readDoors(root: string): Promise<Doors> {
	const manifests = await readFiles(root, (path) => /^packages\/[^/]+\/package\.json$/.test(path));
	return new Map(
		manifests.map(({ path, text }) => {
			const manifest = parseJson<{ name: string; exports?: Record<string, string> }>(text);
			const paths = Object.keys(manifest?.exports ?? { ".": "" });
			return [homeOf(path) ?? "", new Set(paths.map((door) => `${manifest?.name}${door.slice(1)}`))];
		}),
	);
}

function unknownPackages(doors: Doors): Problem[] {
	const strangers = [...doors.keys()].filter((home) => arrows[home] === undefined);
	const message = "has no arrows: draw them in DESIGN.md section 1 and in test/house/checks/layers.ts";
	return strangers.map((home) => ({ file: `packages/${home}/package.json`, message }));
}

function judgeRelative({ path, home }: Module, { specifier, target }: Link): string[] {
	const place = target ?? resolveFrom(path, specifier);
	const found: string[] = [];
	const mayBeOutside = carried.has(place) || (isWorkbench(path) && place.startsWith("test/support/"));
	if (homeOf(place) !== home && !mayBeOutside) {
		found.push(`"${specifier}" climbs over a wall: import the package by its name, through its door`);
	}
	if (target !== undefined && target !== resolveFrom(path, specifier)) {
		found.push(`"${specifier}" leaves its ending out: write the file that it means (${target})`);
	}
	if (isTestingCode(place) && !isTestingCode(path) && !isWorkbench(path)) {
		found.push(
			`"${specifier}" brings a helper of tests into the product: only tests, bench and scripts use testing/`,
		);
	}
	return found;
}

function judgeBare({ path, home }: Module, { specifier, kind }: Link, doors: Doors): string[] {
	const [, name] = /^@tau\/([^/]+)/.exec(specifier) ?? [];
	if (name === undefined) return [];
	const found: string[] = [];
	if (!doors.get(name)?.has(specifier)) {
		found.push(`"${specifier}" reaches past the door of @tau/${name}: export it from its index.ts`);
	}
	if (home === name && !isWorkbench(path)) {
		found.push(`"${specifier}" goes out of the door and in again: use a relative path inside a package`);
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
		found.push(`${home} may not stand on ${name}, only on: ${below} (DESIGN.md, section 1)`);
	}
	if (specifier.endsWith("/testing") && !isWorkbench(path) && !isTestingCode(path)) {
		found.push(`"${specifier}" is for tests, bench and scripts only`);
	}
	return found;
}
