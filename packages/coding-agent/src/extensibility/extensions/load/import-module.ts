/** Imports the module of an extension, TypeScript or JavaScript, and finds its factory. */
import { dirname, sep } from "node:path";

import type { ExtensionFactory } from "../types.ts";

/** Rejects with what is wrong with the file. `again` counts the times that it was read before. */
export async function importFactory(path: string, again: number): Promise<ExtensionFactory> {
	if (again > 0) forget(path);
	// A module that threw is remembered as such by its name: another name makes it another module.
	const module: unknown = await import(again > 0 ? `${path}?again=${again}` : path);
	const factory = factoryOf(module);
	if (!factory)
		throw new TypeError("It does not export a function: write `export default function (pi) { … }`.");
	return factory;
}

function factoryOf(module: unknown): ExtensionFactory | undefined {
	if (typeof module === "function") return module as ExtensionFactory;
	if (typeof module !== "object" || module === null || !("default" in module)) return undefined;
	const { default: inner } = module;
	// A CommonJS module that was compiled from one of the other kind.
	return factoryOf(inner);
}

/** What the extension consists of is read anew; packages that it stands on stay as they are. */
function forget(path: string): void {
	const folder = dirname(path) + sep;
	for (const loaded of Object.keys(require.cache)) {
		if (loaded.startsWith(folder) && !loaded.includes(`${sep}node_modules${sep}`))
			delete require.cache[loaded];
	}
}
