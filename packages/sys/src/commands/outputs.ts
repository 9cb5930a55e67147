/** What is known of the words that a loop goes through and of what commands print. */
import type { Input } from "./programs/context.ts";
import type { Node, Script } from "./syntax/tree.ts";

export const stream: Input = { kind: "stream" };

/** What several commands read, one after the other: `{ head -c 3; bash; } <<< 'ls touch a'` runs touch. */
export function shared(input: Input): Input {
	return input.kind === "text" ? stream : input;
}

/** The start that all of these words have. */
export function commonPrefix(prefixes: readonly string[]): string {
	const [first = "", ...others] = prefixes;
	let length = first.length;
	for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
	// Without a common start, a leading "a" still says that the value is no option.
	if (length === 0 && prefixes.length > 0 && prefixes.every((prefix) => /^[\w./]/u.test(prefix))) return "a";
	return first.slice(0, length);
}

/** `find … -print0` prints paths that begin with its starting points. */
export function outputOf(node: Node | undefined): Input {
	if (node?.kind !== "simple" || node.words[0]?.text !== "find") return stream;
	const [, start, next, ...rest] = node.words.map(({ parts }) => parts.map((part) => part.text).join(""));
	if (
		!/^[\w./]+$/u.test(start ?? "") ||
		!(next ?? "-").startsWith("-") ||
		[next, ...rest].some((word) => /^-(?:printf|exec|ok|ls|fprint|fls)/u.test(word ?? ""))
	)
		return stream;
	return { kind: "stream", prefix: start ?? "", separated: next === "-print0" || rest.includes("-print0") };
}

/** Whether a command of a pipeline may open the files whose names it reads. */
export function opensNames(node: Node): boolean {
	if (node.kind !== "simple") return true;
	return node.words.some(({ text }) => /^(?:xargs|parallel)$|-from/u.test(text));
}

const countingPrograms = /^(?:wc|date|nproc|bc|id|expr|grep|ulimit)$/u;

/** Programs that print a number when they read from their input. */
export function printsNumber(script: Script): boolean {
	const node = script.items.length === 1 ? script.items[0]?.node : undefined;
	const last = node?.kind === "pipeline" ? node.commands.at(-1) : node;
	if (last?.kind !== "simple") return false;
	const [program, ...rest] = last.words.map((word) => word.text);
	if (!countingPrograms.test(program ?? "")) return false;
	if (program === "grep") return rest.includes("-c") && rest.length === 2;
	return rest.every((word) => /^[-+][\w%-]*$/u.test(word));
}
