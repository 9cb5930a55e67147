/** Where the conditions of a rule count: in prose, in thoughts, in the arguments of tools, for some files only. */
import { compileGlob, type PathMatcher } from "@tau/sys";

/** What the model is saying. */
export type StreamSource = { kind: "text" } | { kind: "thinking" } | { kind: "tool"; name: string };

interface ToolScope {
	/** Any tool without one. */
	name?: string;
	files?: readonly PathMatcher[];
}

export interface Scope {
	text: boolean;
	thinking: boolean;
	tools: readonly ToolScope[];
}

/** Thoughts are left alone unless a rule asks for them: a model may think of what it then does not do. */
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

/** Whether a call of the tool with these files is meant. */
export function coversFiles(scope: Scope, tool: string, paths: readonly string[]): boolean {
	return scope.tools.some(
		({ name, files }) =>
			(name === undefined || name === tool) && (!files || files.some((is) => paths.some((path) => is(path)))),
	);
}
