/** Turns a cell of JavaScript into a script whose declarations last, on the same lines as in the cell. */
import { parse, type AnyNode, type Expression, type Pattern, type Program } from "acorn";

export interface CellScript {
	script: string;
	/** The script evaluates to a promise of the value. */
	isAsync: boolean;
	/** Global names that the script assigns where the cell declares them. */
	declared: Declared;
}

/** The script calls `$fix` with the names of constants that have got their value, and `$using` with resources. */
export interface Declared {
	/** `let`, `const`, `using`, classes and imports: they have no value before their line. */
	lexical: readonly string[];
	/** `var` and functions: they keep the value of an earlier cell. */
	plain: readonly string[];
}

interface Splice {
	from: number;
	to: number;
	text: string;
}

/** Throws acorn's SyntaxError, with `loc`. `constants` are those of earlier cells. */
export function cellScript(code: string, constants: ReadonlySet<string> = new Set()): CellScript {
	const { source, program } = parsed(code);
	const splices: Splice[] = [];
	const names = new Set<string>();
	const plain = new Set<string>();
	/** The constants that this cell declares. */
	const fixed = new Set<string>();
	const functions: string[] = [];
	/** Each `var` of a loop or a block, which belongs to the whole cell. */
	const inner = new Set<string>();
	const isAsync = program.body.some((node) => awaits(node));
	for (const node of program.body) {
		switch (node.type) {
			case "VariableDeclaration":
				for (const { id } of node.declarations) namesOf(id, node.kind === "var" ? plain : names);
				if (node.kind !== "var" && node.kind !== "let")
					for (const { id } of node.declarations) namesOf(id, fixed);
				declarationSplices(source, node, splices);
				break;
			case "ClassDeclaration":
				names.add(node.id.name);
				splices.push({ from: node.start, to: node.start, text: `;${node.id.name} = ` });
				splices.push({ from: node.end, to: node.end, text: ";" });
				break;
			case "FunctionDeclaration":
				functions.push(node.id.name);
				break;
			case "ImportDeclaration":
				splices.push(importSplice(source, node, names));
				break;
			default:
				if (node.type.startsWith("Export")) throw new SyntaxError("A cell cannot export anything.");
				walk(node, (part) => {
					if (part.type !== "VariableDeclaration" || part.kind !== "var") return;
					for (const { id } of part.declarations) namesOf(id, inner);
				});
		}
	}
	for (const node of program.body) importCalls(node, splices);
	const last = program.body.at(-1);
	const returned: Splice[] = [];
	if (isAsync && last?.type === "ExpressionStatement") {
		returned.push({ from: last.start, to: last.start, text: "return (" });
		splices.push(closing(source, last.expression.end, last.end));
	}
	const declared = { lexical: [...names], plain: [...plain, ...functions, ...inner] };
	const again = new Set([...declared.lexical, ...declared.plain]);
	const refused = refusals(program, constants.difference(again).union(fixed));
	const body = applied(source, [...returned, ...refused, ...splices]);
	// A declaration has become an assignment, whose value nobody has asked for.
	const isDeclared = last?.type === "VariableDeclaration" || last?.type === "ClassDeclaration";
	if (!isAsync) return { script: `${body}${isDeclared ? "\nvoid 0" : ""}`, isAsync, declared };
	const kept = functions.map((name) => `globalThis.${name} = ${name};`).join("");
	const saved = [...inner].map((name) => `globalThis.${name} = ${name};`).join("");
	const whole = saved === "" ? `${kept}${body}\n` : `try {${kept}${body}\n} finally {${saved}}`;
	return { script: `(async () => {${whole}})()`, isAsync, declared };
}

/** Code that is TypeScript loses its types first; only then may its lines differ. */
function parsed(code: string): { source: string; program: Program } {
	const options = {
		ecmaVersion: "latest",
		sourceType: "module",
		allowAwaitOutsideFunction: true,
		allowHashBang: true,
		locations: true,
	} as const;
	try {
		return { source: code, program: parse(code, options) };
	} catch (error) {
		try {
			// A last line without an effect is what the cell shows.
			const keeps = { trimUnusedImports: false, deadCodeElimination: false } as const;
			// The target keeps `using` as it is.
			const source = new Bun.Transpiler({ loader: "ts", target: "bun", ...keeps }).transformSync(code);
			return { source, program: parse(source, options) };
		} catch {
			// It is not TypeScript either: the first error is about what the user wrote.
			throw error;
		}
	}
}

/** A declaration becomes an assignment; `$fix` makes constants of its names, and `$using` disposes of resources. */
function declarationSplices(
	source: string,
	node: Extract<AnyNode, { type: "VariableDeclaration" }>,
	splices: Splice[],
): void {
	const { kind, declarations, start, end } = node;
	const names = new Set<string>();
	splices.push({ from: start, to: declarations[0]?.start ?? start, text: ";(" });
	for (const { id, init, end: after } of declarations) {
		namesOf(id, names);
		if (!init && kind !== "var") splices.push({ from: after, to: after, text: " = undefined" });
		if (!init || (kind !== "using" && kind !== "await using")) continue;
		splices.push({ from: init.start, to: init.start, text: "$using(" });
		splices.push({ from: init.end, to: init.end, text: `, ${kind === "await using"})` });
	}
	const closed = closing(source, declarations.at(-1)?.end ?? end, end);
	const fix = [...names].map((name) => JSON.stringify(name)).join(", ");
	const isFixed = kind !== "var" && kind !== "let";
	splices.push(isFixed ? { ...closed, text: `${closed.text}$fix(${fix});` } : closed);
}

/**
 * An assignment to a constant throws. A name that something inside the cell declares again is left alone: the assignment
 * may be to that one.
 */
function refusals(program: Program, constants: ReadonlySet<string>): Splice[] {
	const splices: Splice[] = [];
	if (constants.size === 0) return splices;
	const others = new Set<string>();
	const outer = new Set<AnyNode>(program.body);
	every(program, (node) => {
		if ("params" in node && Array.isArray(node.params)) for (const each of node.params) namesOf(each, others);
		if (outer.has(node)) return;
		if (node.type === "VariableDeclaration") for (const { id } of node.declarations) namesOf(id, others);
		if (node.type === "CatchClause" && node.param) namesOf(node.param, others);
		if (/^(?:Function|Class)/.test(node.type) && "id" in node && node.id) namesOf(node.id as Pattern, others);
	});
	every(program, (node) => {
		const assigned = new Set<string>();
		// `a ??= 1` assigns nothing if `a` has a value.
		if (node.type === "AssignmentExpression" && !/^(?:&&|\|\||\?\?)=$/.test(node.operator))
			namesOf(node.left, assigned);
		else if (node.type === "UpdateExpression") namesOf(node.argument, assigned);
		const name = [...assigned].find((each) => constants.has(each) && !others.has(each));
		if (name === undefined) return;
		splices.push({ from: node.start, to: node.start, text: `$constant(${JSON.stringify(name)}, ` });
		splices.push({ from: node.end, to: node.end, text: ")" });
	});
	return splices;
}

/** Ends a parenthesis after an expression; a comment between it and the semicolon stays where it is. */
function closing(source: string, from: number, to: number): Splice {
	return { from, to, text: `)${source.slice(from, to).replace(/;\s*$/, "")};` };
}

function importSplice(
	source: string,
	node: Extract<AnyNode, { type: "ImportDeclaration" }>,
	names: Set<string>,
): Splice {
	const from = JSON.stringify(node.source.value);
	const space = node.specifiers.find((specifier) => specifier.type === "ImportNamespaceSpecifier");
	const parts = node.specifiers.flatMap((specifier) => {
		names.add(specifier.local.name);
		if (specifier.type === "ImportNamespaceSpecifier") return [];
		if (specifier.type === "ImportDefaultSpecifier") return [`default: ${specifier.local.name}`];
		const { imported } = specifier;
		const name = imported.type === "Identifier" ? imported.name : JSON.stringify(imported.value);
		return [`${name}: ${specifier.local.name}`];
	});
	const load = `await $import(${from})`;
	const whole = space ? `${space.local.name} = ${load}` : load;
	const text = parts.length > 0 ? `({ ${parts.join(", ")} } = ${whole})` : whole;
	return { from: node.start, to: node.end, text: `;${text};${lineEnds(source, node)}` };
}

/** What follows stays on its line. */
function lineEnds(source: string, { start, end }: AnyNode): string {
	return "\n".repeat(source.slice(start, end).split("\n").length - 1);
}

function importCalls(node: AnyNode, splices: Splice[]): void {
	every(node, (inner) => {
		if (inner.type === "ImportExpression")
			splices.push({ from: inner.start, to: inner.start + "import".length, text: "$import" });
	});
}

function namesOf(pattern: Pattern | Expression, names: Set<string>): void {
	switch (pattern.type) {
		case "Identifier":
			names.add(pattern.name);
			break;
		case "ObjectPattern":
			for (const property of pattern.properties)
				namesOf(property.type === "RestElement" ? property.argument : property.value, names);
			break;
		case "ArrayPattern":
			for (const element of pattern.elements) if (element) namesOf(element, names);
			break;
		case "AssignmentPattern":
			namesOf(pattern.left, names);
			break;
		case "RestElement":
			namesOf(pattern.argument, names);
			break;
		default:
	}
}

function awaits(node: AnyNode): boolean {
	let isAwaited = false;
	walk(node, (inner) => {
		const isLoop = inner.type === "ForOfStatement" && inner.await;
		isAwaited ||= isLoop || inner.type === "AwaitExpression" || inner.type === "ImportDeclaration";
	});
	return isAwaited;
}

/** Visits a node and what is inside it, but nothing inside of functions. */
function walk(node: AnyNode, visit: (node: AnyNode) => void): void {
	visit(node);
	if (/Function|MethodDefinition|PropertyDefinition|StaticBlock/.test(node.type)) return;
	for (const child of children(node)) walk(child, visit);
}

function every(node: AnyNode, visit: (node: AnyNode) => void): void {
	visit(node);
	for (const child of children(node)) every(child, visit);
}

function children(node: AnyNode): AnyNode[] {
	return Object.values(node).flatMap((value: unknown) =>
		(Array.isArray(value) ? value : [value]).filter(
			(each): each is AnyNode =>
				typeof each === "object" && each !== null && "type" in each && "start" in each,
		),
	);
}

/** Of two at the same position, the first comes first. Splices never overlap except that an import call may be inside the last expression, which only gets text around it. */
function applied(source: string, splices: readonly Splice[]): string {
	let out = "";
	let at = 0;
	for (const { from, to, text } of splices.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
		out += source.slice(at, from) + text;
		at = Math.max(at, to);
	}
	return out + source.slice(at);
}
