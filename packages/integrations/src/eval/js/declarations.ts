/** The variables of cells: global properties, so that later cells see them and may declare them again. */
import type { Declared } from "./transform.ts";

/** The names of constants, of all cells. */
export const constants = new Set<string>();
/** Names of the runtime, whose own modules may read them at any time: a cell that declares one only assigns it. */
const builtin: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(globalThis));
/** Names that the compiler of TypeScript made up. */
const internal = new Set<string>();
let resources = new AsyncDisposableStack();

export function isInternal(name: string): boolean {
	return internal.has(name);
}

/**
 * Prepares the names that a cell declares. In the end, one whose line was not reached gets back what an earlier cell
 * has left in it.
 */
export function declare({ lexical, plain }: Declared, code: string): Disposable {
	const waiting = new Map<string, PropertyDescriptor | undefined>();
	for (const name of [...lexical, ...plain]) if (!code.includes(name)) internal.add(name);
	for (const name of plain) {
		const before = Object.getOwnPropertyDescriptor(globalThis, name);
		if (builtin.has(name) || (before && (before.writable === true || before.configurable !== true))) continue;
		constants.delete(name);
		define(name, before?.value, true);
	}
	for (const name of lexical) {
		const before = Object.getOwnPropertyDescriptor(globalThis, name);
		// A function of a script cannot be replaced either.
		if (builtin.has(name) || before?.configurable === false) continue;
		waiting.set(name, before);
		Object.defineProperty(globalThis, name, {
			get() {
				throw new ReferenceError(`Cannot access '${name}' before initialization.`);
			},
			set(value: unknown) {
				waiting.delete(name);
				constants.delete(name);
				define(name, value, true);
			},
			enumerable: true,
			configurable: true,
		});
	}
	return {
		[Symbol.dispose]() {
			for (const [name, before] of waiting)
				if (before) Object.defineProperty(globalThis, name, before);
				else Reflect.deleteProperty(globalThis, name);
		},
	};
}

function define(name: string, value: unknown, writable: boolean): void {
	Object.defineProperty(globalThis, name, { value, writable, enumerable: true, configurable: true });
}

/** From here on the names are constants, until a cell declares them again. */
export function fix(...names: string[]): void {
	for (const name of names) {
		const { configurable, value } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
		if (builtin.has(name) || configurable !== true) continue;
		define(name, value, false);
		constants.add(name);
	}
}

/** Called around an assignment, which has changed nothing. */
export function constant(name: string): never {
	throw new TypeError(`Assignment to constant variable '${name}'.`);
}

/** Runs a cell, and disposes of its resources, the last one first. */
export async function withResources(cell: () => Promise<void>): Promise<void> {
	await using stack = new AsyncDisposableStack();
	resources = stack;
	await cell();
}

/** The value of `using` or `await using`. */
export function useResource<T>(value: T, isAsync: boolean): T {
	if (value === null || value === undefined) return value;
	const methods = value as Partial<Disposable & AsyncDisposable>;
	const dispose = (isAsync ? methods[Symbol.asyncDispose] : undefined) ?? methods[Symbol.dispose];
	if (typeof dispose !== "function")
		throw new TypeError(`The value has no [Symbol.${isAsync ? "asyncDispose" : "dispose"}]() method.`);
	resources.defer(async () => {
		await dispose.call(value);
	});
	return value;
}
