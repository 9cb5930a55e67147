/** Stands for what pi's packages export and Tau does not have: it can be imported and extended, but not used. */

/** Adds a stand-in for each of the names that `exports` lacks. */
export function withMissing(
	module: string,
	names: readonly string[],
	exports: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
	const absent = names.filter((name) => exports[name] === undefined);
	return { ...exports, ...Object.fromEntries(absent.map((name) => [name, standIn(module, name)])) };
}

/** An import of a name that is not there would cost the whole extension, also where it is never used. */
function standIn(module: string, name: string): unknown {
	const refuse = (): never => {
		throw new Error(`Tau has no ${name} of ${module} yet.`);
	};
	// A function, because classes of extensions may be made from it.
	return new Proxy(function standsIn() {}, {
		construct: refuse,
		apply: refuse,
		get: (target, key): unknown =>
			typeof key === "symbol" || key in target ? Reflect.get(target, key) : refuse,
	});
}
