/** The scope of a rule's conditions: text, thinking, arguments of tools, certain files. */
import { compileGlob, type PathMatcher } from "@tau/sys";

/** The kind of content that the model streams. */
export type StreamSource = { kind: "text" } | { kind: "thinking" } | { kind: "tool"; name: string };

interface ToolScope {
	/** If absent, any tool. */
	name?: string;
	files?: readonly PathMatcher[];
}

export interface Scope {
	text: boolean;
	thinking: boolean;
	tools: readonly ToolScope[];
}

/** Thinking is out of scope unless a rule includes it: a model may consider what it then does not do. */
const everywhere: Scope = { text: true, thinking: false, tools: [{}] };

/** Invalid parts are reported and left out; a rule without a valid part applies nowhere. */
export function readScope(
	tokens: readonly string[] | undefined,
	onProblem: (problem: string) => void,
): Scope {
	if (!tokens) return everywhere;
	const words = new Set(tokens.map((token) => token.trim()));
	const tools: ToolScope[] = [];
	for (const word of words) {
		if (word === "text" || word === "thinking") continue;
		const tool = readTool(word, onProblem);
		if (tool) tools.push(tool);
	}
	return { text: words.has("text"), thinking: words.has("thinking"), tools };
}

function readTool(word: string, onProblem: (problem: string) => void): ToolScope | undefined {
	if (word === "tool" || word === "toolcall") return {};
	const [, name, globs] = /^tool:\s*([\w-]+)\s*(?:\((.*)\))?$/.exec(word) ?? [];
	if (name === undefined) {
		return void onProblem(`unknown scope "${word}": use text, thinking, tool, tool:name or tool:name(*.ts)`);
	}
	if (globs === undefined) return { name };
	const files = readGlobs(globs.split(","), onProblem);
	return files.length > 0 ? { name, files } : undefined;
}

export function readGlobs(globs: readonly string[], onProblem: (problem: string) => void): PathMatcher[] {
	return globs.flatMap((glob) => {
		try {
			return [compileGlob(glob.trim())];
		} catch (error) {
			onProblem(error instanceof Error ? error.message : String(error));
			return [];
		}
	});
}

/** Whether the rule may apply to such a stream; its files are checked separately. */
export function covers(scope: Scope, source: StreamSource): boolean {
	if (source.kind !== "tool") return scope[source.kind];
	return scope.tools.some(({ name }) => name === undefined || name === source.name);
}

/** Whether a call of the tool with these files is in scope. */
export function coversFiles(scope: Scope, tool: string, paths: readonly string[]): boolean {
	return scope.tools.some(
		({ name, files }) =>
			(name === undefined || name === tool) && (!files || files.some((is) => paths.some((path) => is(path)))),
	);
}
