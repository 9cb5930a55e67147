/** No code knows a built-in tool by its name: what differs between tools is declared in the tool's own value. */
import { isProduct } from "../paths.ts";
import { codeTokens, tokenize, type Token } from "../tokens.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";

/** Files that may name tools, each with its reason. */
const allowed: readonly { path: string; because: string }[] = [
	{ path: "packages/integrations/src/builtin/", because: "the one list of the built-in tools" },
	{ path: "packages/extensions/src/api/guards.ts", because: "pi exports a guard for each tool by name" },
	{
		path: "packages/extensions/src/events/equivalent-calls.ts",
		because: "guards of pi's extensions know its tools by name",
	},
	{
		path: "packages/compat/src/builtin-tools.ts",
		because: "pi exports a factory for each tool by name",
	},
	{
		path: "packages/compat/src/operations/operations.ts",
		because: "pi exports a factory for each tool by name",
	},
	{
		path: "packages/bundled/src/demo/",
		because: "the demo plays a model, and a model calls tools by name",
	},
];

const toolFile = /^packages\/(?:tools|integrations)\/src\/([^/]+)\/tool\.ts$/;
/** The values that hold the name of a tool. */
const toolValue = /^(?:tool|name|tool_?names?|tools|names)$/i;

export async function toolNames(root: string): Promise<Problem[]> {
	const files = await readFiles(root, isProduct);
	const tools = new Set(files.flatMap(({ path }) => toolFile.exec(path)?.[1] ?? []));
	const folders = files.flatMap(({ path }) =>
		toolFile.test(path) ? [path.slice(0, -"tool.ts".length)] : [],
	);
	return files.flatMap(({ path, text }) => {
		const isOwn = folders.some((folder) => path.startsWith(folder));
		if (isOwn || allowed.some((file) => path.startsWith(file.path))) return [];
		return namedIn(codeTokens(tokenize(text)), tools).map(({ line, text: tool }) => ({
			file: path,
			line,
			message: `knows the tool "${tool}" by its name: declare the difference in the tool (touches, approval, or a field of ToolFacts in packages/tools/src/tool/define-tool.ts)`,
		}));
	});
}

/** At most one per line: a comparison, a case, a lookup, or a table of names. */
function namedIn(tokens: readonly Token[], tools: ReadonlySet<string>): Token[] {
	const named = tokens.filter((token, at) => {
		if (!tools.has(token.text)) return false;
		if (token.kind === "name") return isKey(tokens, at) && isTable(tokens, at, tools);
		if (token.kind !== "string") return false;
		return (
			isCompared(tokens, at) || isCase(tokens, at) || isLookedUp(tokens, at) || isListed(tokens, at, tools)
		);
	});
	return named.filter(({ line }, at) => named[at - 1]?.line !== line);
}

/** `name === "x"` or `"x" === name`. */
function isCompared(tokens: readonly Token[], at: number): boolean {
	const before = tokens.slice(Math.max(0, at - 3), at).map(({ text }) => text);
	if (/[=!]==?$/.test(before.join("")) && before.at(-1) === "=") {
		const operand = tokens
			.slice(0, at)
			.findLast(({ kind, text }) => !(kind === "punct" && /[=!]/.test(text)));
		return isToolValue(operand);
	}
	const after = tokens.slice(at + 1, at + 4).map(({ text }) => text);
	if (!/^[=!]==?/.test(after.join(""))) return false;
	const operand = tokens
		.slice(at + 1)
		.findIndex(({ kind, text }) => !(kind === "punct" && /[=!]/.test(text)));
	return isToolValue(lastOfPath(tokens, at + 1 + operand));
}

function isCase(tokens: readonly Token[], at: number): boolean {
	if (tokens[at - 1]?.text !== "case") return false;
	const from = tokens.slice(0, at).findLastIndex(({ kind, text }) => kind === "name" && text === "switch");
	const body = tokens.findIndex(({ text }, index) => index > from && text === "{");
	return isToolValue(tokens[body - 2]);
}

/** `tools.includes("x")`, `names.has("x")`. */
function isLookedUp(tokens: readonly Token[], at: number): boolean {
	const [owner, dot, method, open] = tokens.slice(Math.max(0, at - 4), at);
	if (open?.text !== "(" || dot?.text !== ".") return false;
	return /^(?:includes|has|get)$/.test(method?.text ?? "") && isToolValue(owner);
}

/** A list of nothing but tools: `["edit", "write"].some(…)`. */
function isListed(tokens: readonly Token[], at: number, tools: ReadonlySet<string>): boolean {
	const begin = tokens.slice(0, at).findLastIndex(({ text }) => text === "[");
	const end = tokens.findIndex(({ text }, index) => index > at && text === "]");
	const inside = tokens.slice(begin + 1, end).filter(({ text }) => text !== ",");
	return (
		begin >= 0 && inside.length > 1 && inside.every(({ kind, text }) => kind === "string" && tools.has(text))
	);
}

function isKey(tokens: readonly Token[], at: number): boolean {
	return tokens[at + 1]?.text === ":" && /^[{,;]$/.test(tokens[at - 1]?.text ?? "");
}

/** Two or more tools among the keys of one object, at least one with a name that has no other meaning. */
function isTable(tokens: readonly Token[], at: number, tools: ReadonlySet<string>): boolean {
	const keys: string[] = [];
	let depth = 0;
	const begin = startOf(tokens, at);
	for (let index = begin; index < tokens.length && depth >= 0; index++) {
		const { text = "" } = tokens[index] ?? {};
		if (/^[{[(]$/.test(text)) depth++;
		if (/^[}\])]$/.test(text)) depth--;
		if (depth === 0 && tools.has(text) && isKey(tokens, index)) keys.push(text);
	}
	return keys.length > 2 || (keys.length === 2 && keys.some((key) => !plainWords.has(key)));
}

/** Names that also mean other things: access to a file, an answer, a verb. */
const plainWords: ReadonlySet<string> = new Set(["read", "write", "edit", "find", "ask", "resolve"]);

/** The first token after the opening brace around the key. */
function startOf(tokens: readonly Token[], at: number): number {
	let depth = 0;
	for (let index = at - 1; index >= 0; index--) {
		const { text = "" } = tokens[index] ?? {};
		if (/^[}\])]$/.test(text)) depth++;
		if (/^[{[(]$/.test(text) && depth-- === 0) return index + 1;
	}
	return 0;
}

function lastOfPath(tokens: readonly Token[], at: number): Token | undefined {
	let last = at;
	while (tokens[last + 1]?.text === "." || tokens[last + 1]?.text === "?") last += 2;
	return tokens[last];
}

function isToolValue(token: Token | undefined): boolean {
	return token?.kind === "name" && toolValue.test(token.text);
}
