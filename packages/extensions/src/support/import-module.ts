/** Imports the module of an extension, TypeScript or JavaScript, and finds its factory. */
import { dirname, sep } from "node:path";

import type { ExtensionFactory } from "../api/types.ts";
import type { VirtualModules } from "./virtual-modules.ts";

/** Rejects with the problem of the file. `again` counts earlier loads. */
export async function importFactory(
	path: string,
	again: number,
	modules: VirtualModules | undefined,
	/** Called with what of the extension has no effect in Tau. */
	onProblem: (problem: string) => void = () => {},
): Promise<ExtensionFactory> {
	const unknown = (await modules?.addUnknownImports(path)) ?? [];
	const names = unknown
		.filter(({ why }) => why === undefined)
		.map(({ name, module }) => `${name} (${module})`);
	if (names.length > 0)
		onProblem(`imports names that Tau does not have; they are undefined: ${names.join(", ")}.`);
	for (const { name, why } of unknown)
		if (why !== undefined) onProblem(`replaces ${name}, which has no effect: ${why}.`);
	const factory = factoryOf(await importModule(path, again, modules));
	if (!factory)
		throw new TypeError("It does not export a function: write `export default function (pi) { … }`.");
	return factory;
}

/** Bun's error when a CommonJS module requires a module synchronously that is still loading. */
const tooEarly = /require\(\) async module "([^"]+)" is unsupported/;

async function importModule(
	path: string,
	again: number,
	modules: VirtualModules | undefined,
): Promise<unknown> {
	const prepared = new Set<string>();
	for (;;) {
		const isFirst = again === 0 && prepared.size === 0;
		if (!isFirst) forget(path);
		try {
			// A module that threw is remembered as such by its name: another name makes it another module.
			return await import(isFirst ? path : `${path}?again=${again}.${prepared.size}`);
		} catch (error) {
			const [, name] = tooEarly.exec(error instanceof Error ? error.message : "") ?? [];
			if (name === undefined || prepared.has(name)) throw error;
			if (!(await modules?.prepareForRequire(name))) throw error;
			prepared.add(name);
		}
	}
}

function factoryOf(module: unknown): ExtensionFactory | undefined {
	if (typeof module === "function") return module as ExtensionFactory;
	if (typeof module !== "object" || module === null || !("default" in module)) return undefined;
	const { default: inner } = module;
	// A CommonJS module that was compiled from one of the other kind.
	return factoryOf(inner);
}

/** The extension's own files are loaded again; the packages that it depends on stay loaded. */
function forget(path: string): void {
	const folder = dirname(path) + sep;
	for (const loaded of Object.keys(require.cache)) {
		if (loaded.startsWith(folder) && !loaded.includes(`${sep}node_modules${sep}`))
			delete require.cache[loaded];
	}
}
