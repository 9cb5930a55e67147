/** What a script assigns, wherever it does: bash may run loops and functions in an order that a walk does not follow. */
import type { Node, Part, Redirect, Script, Simple, Word } from "./syntax/tree.ts";

export interface Assigned {
	/** Names that get a value somewhere. */
	readonly names: Set<string>;
	/** Names that get a value which may run something when bash evaluates it as arithmetic. */
	readonly tainted: Set<string>;
	/** The shell changes its own directory. */
	changesDirectory: boolean;
	/** Code that is not part of this script may assign anything. */
	isOpen: boolean;
}

const assigners = new Set("read mapfile readarray getopts printf let unset wait".split(" "));
const declarers = new Set("declare typeset local export readonly".split(" "));

export function assignedIn(nodes: readonly Node[]): Assigned {
	const assigned: Assigned = { names: new Set(), tainted: new Set(), changesDirectory: false, isOpen: false };
	for (const node of nodes) visit(node, assigned, false);
	return assigned;
}

function visit(node: Node, into: Assigned, inSubshell: boolean): void {
	const bodies = (scripts: readonly Script[], isSubshell = inSubshell): void =>
		scripts.forEach((script) => visit(script, into, isSubshell));
	switch (node.kind) {
		case "list":
			node.items.forEach((item) => visit(item.node, into, inSubshell));
			break;
		case "pipeline":
			node.commands.forEach((command) => visit(command, into, true));
			break;
		case "subshell":
			visitRedirects(node.redirects, into);
			bodies([node.body], true);
			break;
		case "compound":
			if (node.variable !== undefined) assign(into, node.variable, node.words.every(isHarmless));
			node.words.forEach((word) => visitParts(word.parts, into));
			visitRedirects(node.redirects, into);
			bodies(node.bodies);
			break;
		case "function":
			visit(node.body, into, inSubshell);
			break;
		case "expression":
			node.assigns.forEach((name) => assign(into, name, true));
			node.words.forEach((word) => visitParts(word.parts, into));
			visitParts(node.arithmetic, into);
			visitRedirects(node.redirects, into);
			break;
		case "simple":
			visitSimple(node, into, inSubshell);
			break;
	}
}

function visitSimple(node: Simple, into: Assigned, inSubshell: boolean): void {
	for (const { name, words } of node.assignments) {
		assign(into, name, words.every(isHarmless));
		words.forEach((word) => visitParts(word.parts, into));
	}
	node.words.forEach((word) => visitParts(word.parts, into));
	visitRedirects(node.redirects, into);
	const [first, second] = node.words;
	const program = first ? textOf(first) : "";
	// A program that a variable or braces name may be a builtin, too.
	const isHidden =
		/^(?:eval|source|\.)$/u.test(program) ||
		first?.parts.some((part) => part.kind === "dynamic" || (!part.quoted && part.text.includes("{"))) ===
			true ||
		(/^(?:builtin|command)$/u.test(program) && second !== undefined && !/^-[vV]+$/u.test(textOf(second)));
	into.isOpen ||= isHidden;
	if ((isHidden || /^(?:cd|pushd|popd)$/u.test(program)) && !inSubshell) into.changesDirectory = true;
	const isDeclarer = declarers.has(program);
	if (!isDeclarer && !assigners.has(program)) return;
	for (const word of node.words.slice(1)) {
		const text = textOf(word);
		// `read -rax`, `printf -vx` and `wait -px` assign x.
		const attached = /^-[a-zA-Z]*?[apv](.+)$/u.exec(text)?.[1];
		if (attached !== undefined && !isDeclarer) assign(into, attached, false);
		const name = /^[A-Za-z_]\w*/u.exec(text)?.[0];
		if (name === undefined) into.isOpen ||= !text.startsWith("-") && program !== "printf";
		else assign(into, name, isDeclarer && text.includes("=") && isHarmless(word));
	}
}

function visitRedirects(redirects: readonly Redirect[], into: Assigned): void {
	for (const { target, body } of redirects) visitParts([...target.parts, ...(body?.parts ?? [])], into);
}

function textOf({ parts }: Word): string {
	return parts.map((part) => part.text).join("");
}

function visitParts(parts: readonly Part[], into: Assigned): void {
	for (const part of parts) {
		if (part.kind !== "dynamic") continue;
		const isArithmetic = part.gives === "number";
		part.assigns?.forEach((name) => assign(into, name, isArithmetic));
		visitParts(part.arithmetic ?? [], into);
	}
}

function assign(into: Assigned, name: string, isClean: boolean): void {
	into.names.add(name);
	if (!isClean) into.tainted.add(name);
}

/** A value that is a number, or arithmetic of numbers: a name in it would be evaluated in turn. */
export function isHarmless(word: Word): boolean {
	return word.parts.every((part) =>
		part.kind === "literal" ? /^[\d\s+*/%(){}.,-]*$/u.test(part.text) : part.gives === "number",
	);
}
