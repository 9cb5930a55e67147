/** Turns a cell of JavaScript into a script whose declarations last, on the same lines as in the cell. */
import { parse, type AnyNode, type Expression, type Pattern, type Program } from "acorn";

export interface CellScript {
	script: string;
	/** The script evaluates to a promise of the value. */
	isAsync: boolean;
}

interface Splice {
	from: number;
	to: number;
	text: string;
}

/** Throws acorn's SyntaxError, with `loc`. */
export function cellScript(code: string): CellScript {
	const { source, program } = parsed(code);
	const splices: Splice[] = [];
	const names = new Set<string>();
	const functions: string[] = [];
	/** Each `var` of a loop or a block, which belongs to the whole cell. */
	const inner = new Set<string>();
	const isAsync = program.body.some((node) => awaits(node));
	for (const node of program.body) {
		switch (node.type) {
			case "VariableDeclaration":
				splices.push({ from: node.start, to: node.declarations[0]?.start ?? node.start, text: ";(" });
				for (const { id, init, end } of node.declarations) {
					namesOf(id, names);
					if (!init) splices.push({ from: end, to: end, text: " = undefined" });
				}
				splices.push(closing(source, node.declarations.at(-1)?.end ?? node.end, node.end));
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
	if (isAsync && last?.type === "ExpressionStatement") {
		splices.push({ from: last.start, to: last.start, text: "return (" });
		splices.push(closing(source, last.expression.end, last.end));
	}
	const body = applied(source, splices);
	const hoisted = names.size === 0 ? "" : `var ${[...names].join(", ")};`;
	// A declaration has become an assignment, whose value nobody has asked for.
	const isDeclared = last?.type === "VariableDeclaration" || last?.type === "ClassDeclaration";
	if (!isAsync) return { script: `${hoisted}${body}${isDeclared ? "\nvoid 0" : ""}`, isAsync };
	const kept = functions.map((name) => `globalThis.${name} = ${name};`).join("");
	const saved = [...inner].map((name) => `globalThis.${name} = ${name};`).join("");
	const whole = saved === "" ? `${kept}${body}\n` : `try {${kept}${body}\n} finally {${saved}}`;
	return { script: `${hoisted}(async () => {${whole}})()`, isAsync };
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
			const source = new Bun.Transpiler({ loader: "ts", ...keeps }).transformSync(code);
			return { source, program: parse(source, options) };
		} catch {
			// It is not TypeScript either: the first error is about what the user wrote.
			throw error;
		}
	}
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

/** Splices never overlap except that an import call may be inside the last expression, which only gets text around it. */
function applied(source: string, splices: readonly Splice[]): string {
	let out = "";
	let at = 0;
	for (const { from, to, text } of splices.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
		out += source.slice(at, from) + text;
		at = Math.max(at, to);
	}
	return out + source.slice(at);
}
