/** Answers the imports of pi's and omp's packages, and of TypeBox, with our own modules; also in the compiled program. */
import { plugin, type PluginBuilder } from "bun";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { version, dirs, shortId } from "@tau/utils";

import { currentApplication } from "./application.ts";
import { packageNames, statesOf, type PackageName, type ExportStates } from "./exports/states.ts";
import { protocolSubpaths, subpaths } from "./subpaths.ts";
import { unknownImports, type UnknownImport } from "./unknown-imports.ts";
import { directoryExports, programs, type Program } from "./support/directories.ts";

type Exports = Readonly<Record<string, unknown>>;
type Load = () => Promise<Exports>;

/**
 * TypeBox: 1.x as `typebox` and 0.34 as `@sinclair/typebox`. The packages are installed under aliases, because their
 * real names would resolve to these virtual modules when Tau runs from its sources.
 */
const schemaModules: Readonly<Record<string, Load>> = {
	typebox: () => import("typebox-v1"),
	"typebox/compile": () => import("typebox-v1/compile"),
	"typebox/error": () => import("typebox-v1/error"),
	"typebox/format": () => import("typebox-v1/format"),
	"typebox/guard": () => import("typebox-v1/guard"),
	"typebox/schema": () => import("typebox-v1/schema"),
	"typebox/system": () => import("typebox-v1/system"),
	"typebox/type": () => import("typebox-v1/type"),
	"typebox/value": () => import("typebox-v1/value"),
	"@sinclair/typebox": () => import("typebox-v0"),
	"@sinclair/typebox/compiler": () => import("typebox-v0/compiler"),
	"@sinclair/typebox/errors": () => import("typebox-v0/errors"),
	"@sinclair/typebox/parser": () => import("typebox-v0/parser"),
	"@sinclair/typebox/syntax": () => import("typebox-v0/syntax"),
	"@sinclair/typebox/system": () => import("typebox-v0/system"),
	"@sinclair/typebox/type": () => import("typebox-v0/type"),
	"@sinclair/typebox/value": () => import("typebox-v0/value"),
};

/** With the release whose names are compared (compatibility/published.json): extensions ask for one that is new enough. */
const releases = { "@earendil-works": "1.5.0", "@mariozechner": "1.5.0", "@oh-my-pi": "18.3.4" } as const;
type Scope = keyof typeof releases;
export const scopes = Object.keys(releases) as readonly Scope[];

const packages: Readonly<Record<PackageName, Load>> = {
	"pi-coding-agent": async () => (await import("./coding-agent.ts")).forExtensions(),
	"pi-tui": async () => (await import("./tui.ts")).tuiExports(),
	"pi-ai": async () => (await import("./ai.ts")).aiExports(),
	"pi-agent-core": async () => (await import("./agent-core.ts")).agentExports(),
	"pi-utils": async () => (await import("./utils.ts")).utilsExports(),
	"pi-natives": async () => (await import("./natives.ts")).nativeExports,
};

/** What Tau itself implements of a package, without the placeholders. */
export function ownExportsOf(name: PackageName): Promise<Exports> {
	return packages[name]();
}

/** What `import "@tau/coding-agent"` gives an extension from Tau's directories, or from those of a program. */
export async function mainExports(program?: Program): Promise<Exports> {
	const exports = await packages["pi-coding-agent"]();
	return program ? withDirectories(exports, program) : exports;
}

/** The packages that export the names of directories. */
export const directoryPackages = ["pi-coding-agent", "pi-utils"] as const satisfies readonly PackageName[];

/** The name of a module whose directories are those of a program. */
export function variantOf(name: string, program: Program): string {
	return `${name}?${program}`;
}

function withDirectories(exports: Exports, program: Program): Exports {
	const own = Object.entries(directoryExports(program)).filter(([name]) => name in exports);
	return { ...exports, ...Object.fromEntries(own) };
}

const loads = new Map<string, Load>();
/** What `require` can be answered with: it does not wait. */
const loaded = new Map<string, Exports>();

/** Names that extensions import and packages lack, by module: one unknown name must not cost the whole extension. */
const undefinedNames = new Map<string, Set<string>>();

/** Makes all served modules export what the extension imports from them, if only as `undefined`; gives those names. */
export async function addUnknownImports(path: string): Promise<UnknownImport[]> {
	const unknown = await unknownImports(path, {
		onImport: serveSubpath,
		exportsOf(module) {
			const load = loads.get(module);
			return load && prepared(module, load).then(({ exports }) => exports);
		},
	});
	for (const { module, name, why } of unknown) {
		if (why !== undefined) continue;
		const names = undefinedNames.get(module) ?? new Set();
		undefinedNames.set(module, names.add(name));
		for (const served of [module, ...programs.map((program) => variantOf(module, program))]) {
			loaded.delete(served);
			// Modules that are loaded from now on are linked with what is served now.
			delete require.cache[served];
		}
	}
	return unknown;
}

async function prepared(name: string, load: Load): Promise<{ exports: Exports; loader: "object" }> {
	const exports = loaded.get(name) ?? withUndefined(name, await load());
	loaded.set(name, exports);
	return { exports, loader: "object" };
}

function withUndefined(module: string, exports: Exports): Exports {
	const names = undefinedNames.get(module.replace(/\?.*$/, "")) ?? [];
	return { ...Object.fromEntries([...names].map((name) => [name, undefined])), ...exports };
}

/** For a CommonJS module that `require`s it; false where there is no such module. */
export async function prepareForRequire(name: string): Promise<boolean> {
	const load = loads.get(name);
	if (load) await prepared(name, load);
	return load !== undefined;
}

/** Packages have more files than anybody lists: an extension may import from any of them (omp exports all). */
function serveSubpath(module: string, importer: string): void {
	if (loads.has(module)) return;
	const [scope, name, ...rest] = module.split("/");
	const ofScope = scopes.find((each) => each === scope);
	const ofName = packageNames.find((each) => each === name);
	if (!ofScope || !ofName || rest.length === 0 || isInstalled(module, importer)) return;
	plugin({
		name: `tau-${module}`,
		setup: (build) => serveModule(serveWith(build), ofScope, ofName, module),
	});
}

/** An extension may bring along the package itself. */
function isInstalled(module: string, importer: string): boolean {
	try {
		Bun.resolveSync(module, dirname(importer));
		return true;
	} catch {
		return false;
	}
}

let installed = false;

/** Nothing of it is loaded before an extension asks for it. */
export function installVirtualModules(): void {
	if (installed) return;
	installed = true;
	plugin({
		name: "tau-extensions",
		setup(build) {
			const serve = serveWith(build);
			for (const scope of scopes) for (const name of packageNames) servePackage(serve, scope, name);
			serve(
				"@tau/coding-agent",
				async () => (await currentApplication()?.publicApi()) ?? (await packages["pi-coding-agent"]()),
			);
			for (const [name, load] of Object.entries(schemaModules)) serve(name, load);
			serve("@oh-my-pi/omp-stats", async () => (await import("./omp-stats.ts")).statsExports);
			serveManifests(build);
		},
	});
}

type Serve = (name: string, load: Load) => void;

function serveWith(build: PluginBuilder): Serve {
	return (name, load) => {
		loads.set(name, load);
		build.module(name, () => {
			const exports = loaded.get(name);
			return exports ? { exports, loader: "object" } : prepared(name, load);
		});
	};
}

/** Every module of a package is the whole package. */
function serveModule(serve: Serve, scope: Scope, name: PackageName, module: string): void {
	const whole = wholePackage(scope, name);
	serve(module, whole);
	if (!directoryPackages.some((each) => each === name)) return;
	for (const program of programs)
		serve(variantOf(module, program), async () => withDirectories(await whole(), program));
}

function wholePackage(scope: Scope, name: PackageName): Load {
	return async () => {
		const exports = await packages[name]();
		const release = "VERSION" in exports ? { VERSION: releases[scope] } : {};
		return withMissing(`${scope}/${name}`, await statesOf(name), { ...exports, ...release });
	};
}

function servePackage(serve: Serve, scope: Scope, name: PackageName): void {
	const full = `${scope}/${name}`;
	for (const each of [full, ...subpaths[name].map((part) => `${full}/${part}`)])
		serveModule(serve, scope, name, each);
	if (name !== "pi-ai") return;
	const whole = wholePackage(scope, name);
	for (const protocol of protocolSubpaths) {
		const speaking: Load = async () => {
			const { streamBy } = await import("./ai/asking.ts");
			return { ...(await whole()), stream: streamBy(protocol), streamSimple: streamBy(protocol) };
		};
		serve(`${full}/api/${protocol}`, speaking);
		serve(`${full}/api/${protocol}.lazy`, whole);
	}
}

/**
 * Resolves `package.json` of pi's and omp's packages to a small real file, for code that reads a version or a directory.
 * Bun asks plugins only about names that look like files, so the names of the packages themselves do not get here.
 */
function serveManifests(build: PluginBuilder): void {
	const names = packageNames.map(RegExp.escape).join("|");
	const filter = new RegExp(`^(?:${scopes.map(RegExp.escape).join("|")})/(?:${names})/package\\.json$`);
	build.onResolve({ filter }, ({ path }) => ({ path: manifestFile(path.slice(0, -"/package.json".length)) }));
}

/** Written at the first request, one for each version of Tau. */
function manifestFile(name: string): string {
	const release = releases[scopes.find((scope) => name.startsWith(`${scope}/`)) ?? "@earendil-works"];
	const directory = join(dirs().cache, "stand-ins", version, release, name);
	const file = join(directory, "package.json");
	if (existsSync(file)) return file;
	mkdirSync(directory, { recursive: true });
	const draft = `${file}.${shortId()}`;
	const description = "Tau provides this package: imports resolve to the running program.";
	writeFileSync(
		draft,
		`${JSON.stringify({ name, version: release, description, private: true }, null, "\t")}\n`,
	);
	renameSync(draft, file);
	return file;
}

/** Adds a placeholder for each name that `exports` lacks: it can be imported and extended, but not used. */
function withMissing(module: string, states: ExportStates, exports: Exports): Record<string, unknown> {
	const absent = Object.entries(states).filter(([name]) => exports[name] === undefined);
	const replacements = absent.map(([name, { note }]) => [name, missingExport(module, name, note)]);
	return { ...exports, ...Object.fromEntries(replacements) };
}

/** Importing a missing name would fail the whole extension, even if the name is never used. */
function missingExport(module: string, name: string, why = "it is not part of Tau"): unknown {
	const refuse = (): never => {
		throw new Error(`Tau does not provide ${name} of ${module}: ${why}.`);
	};
	// A function, because classes of extensions may be made from it.
	return new Proxy(function placeholder() {}, {
		construct: refuse,
		apply: refuse,
		get: (target, key): unknown =>
			typeof key === "symbol" || key in target ? Reflect.get(target, key) : refuse,
	});
}
