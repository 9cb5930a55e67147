/** What is known of the shell at one point of a script: directory, variables, functions. */
import type { Arg } from "./args.ts";
import { limits } from "./limits.ts";
import type { Node, Script } from "./syntax/tree.ts";

/** Builtins assign these without naming them, or bash ignores what is assigned. */
const ownVariables = new Set(["REPLY", "MAPFILE", "OPTARG", "COPROC", "_", "FUNCNAME", "GROUPS"]);

export class ShellState {
	/** Directories in which the shell may be; absent when unknown. */
	directories: readonly string[] | undefined;
	/** Values of variables that were assigned, as far as known. */
	readonly variables: Map<string, Arg>;
	/** Variables whose value cannot run anything when bash evaluates it as arithmetic. */
	readonly numbers: Set<string>;
	/** Functions that are certainly defined. */
	functions: Set<string>;
	/** Names that were declared as arrays anywhere before, also in a branch. */
	readonly arrays: Set<string>;
	/** `local` works. */
	isInFunction = false;
	/** No name that a pattern gives is an option. */
	areNames = false;

	constructor(
		directories: readonly string[] | undefined,
		variables: Iterable<readonly [string, Arg]> = [],
		numbers: Iterable<string> = [],
		functions: Iterable<string> = [],
		arrays: Set<string> = new Set(),
	) {
		this.directories = directories;
		this.variables = new Map(variables);
		this.numbers = new Set(numbers);
		this.functions = new Set(functions);
		this.arrays = arrays;
	}

	/** For a subshell, a branch or a body that may not run. */
	clone(): ShellState {
		const copy = new ShellState(this.directories, this.variables, this.numbers, this.functions, this.arrays);
		copy.isInFunction = this.isInFunction;
		copy.areNames = this.areNames;
		return copy;
	}

	assign(name: string, value: Arg | undefined, isNumber: boolean): void {
		const isOwn = ownVariables.has(name);
		if (value && !isOwn) this.variables.set(name, value);
		else this.variables.delete(name);
		if (isNumber && !isOwn) this.numbers.add(name);
		else this.numbers.delete(name);
	}

	forget(names: Iterable<string>): void {
		for (const name of names) this.assign(name, undefined, false);
	}

	/** After code that may assign these, or anything. */
	forgetAssigned({ names, isOpen }: { readonly names: Iterable<string>; readonly isOpen: boolean }): void {
		if (isOpen) this.forgetAll();
		this.forget(names);
	}

	forgetAll(): void {
		this.variables.clear();
		this.numbers.clear();
	}

	/** After something that may or may not have run. */
	addDirectories(others: readonly string[] | undefined): void {
		this.directories = eitherOf(this.directories, others);
	}
}

type Directories = readonly string[] | undefined;

/** Where the shell is after one of two ways; too many directories count as unknown. */
function eitherOf(one: Directories, other: Directories): Directories {
	if (!one || !other) return undefined;
	const all = [...new Set([...one, ...other])];
	return all.length > limits.directories ? undefined : all;
}

/** Walks a list of `&&` and `||`. One that fails at one of its commands leaves the shell where those before it have gone. */
export function walkList(
	items: Script["items"],
	state: ShellState,
	walk: (node: Node, isFirst: boolean) => void,
): void {
	// Where the shell may be if the list has succeeded so far, and if it has failed.
	let passed = state.directories;
	let failed = state.directories;
	items.forEach(({ node }, index) => {
		const isAlternative = items[index - 1]?.operator === "||";
		const before = isAlternative ? failed : passed;
		state.directories = before;
		walk(node, index === 0);
		const after = state.directories;
		const isLast = index > 0 && index === items.length - 1;
		// `cd x || exit`: the rest runs in x only.
		const [succeeds, fails] = isLast && leaves(node) ? [[], []] : [after, eitherOf(before, after)];
		passed = isAlternative ? eitherOf(passed, succeeds) : succeeds;
		failed = isAlternative || index === 0 ? fails : eitherOf(failed, fails);
	});
	state.directories = eitherOf(passed, failed);
}

function leaves(node: Node): boolean {
	return node.kind === "simple" && /^(?:exit|return|continue|break)$/u.test(node.words[0]?.text ?? "");
}
