/** Stands for what pi's packages export and Tau does not have: it can be imported and extended, but not used. */
import type { ExportStates } from "./exports/states.ts";

/** Adds a stand-in for each of the names that `exports` lacks. */
export function withMissing(
	module: string,
	states: ExportStates,
	exports: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
	const absent = Object.entries(states).filter(([name]) => exports[name] === undefined);
	const standIns = absent.map(([name, { note }]) => [name, missingExport(module, name, note)]);
	return { ...exports, ...Object.fromEntries(standIns) };
}

/** An import of a name that is not there would cost the whole extension, also where it is never used. */
function missingExport(module: string, name: string, why = "it is not part of Tau"): unknown {
	const refuse = (): never => {
		throw new Error(`Tau does not provide ${name} of ${module}: ${why}.`);
	};
	// A function, because classes of extensions may be made from it.
	return new Proxy(function standsIn() {}, {
		construct: refuse,
		apply: refuse,
		get: (target, key): unknown =>
			typeof key === "symbol" || key in target ? Reflect.get(target, key) : refuse,
	});
}
