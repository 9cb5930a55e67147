/** Searches the contents of files. */
import type { AgentToolResult } from "@tau/agent";
import { localMachine, splitGlob, type FileFacts, type Machine, type SearchOutcome } from "@tau/sys";
import { temporaryFile } from "@tau/session/artifacts";
import { oneLine } from "@tau/utils";
import { z } from "zod";

import { defineTool, type BuiltinTool, type ToolContext } from "../tool/define-tool.ts";
import { claudeSwitch } from "../tool/claude-form.ts";
import { fileTouch, schemeOf, treeTouch } from "../tool/touch.ts";
import { urlRouter } from "../urls/index.ts";
import { errorResult, textResult } from "../tool/result.ts";
import { Hits } from "./hits.ts";
import { limits } from "./limits.ts";
import { patternProblem } from "./pattern-problem.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };
import { flat, grouped, showHits, type HitForm } from "./show-hits.ts";

const parameters = () =>
	z.object({
		pattern: z.string().min(1).describe("regex; \\n spans lines"),
		path: z.string().optional().describe("file or directory"),
		glob: z.string().optional().describe("*.{ts,tsx}, src/**, !*.test.ts"),
		ignoreCase: z.boolean().optional(),
		literal: z.boolean().optional(),
		context: z.number().int().min(0).max(limits.contextLines).optional(),
		limit: z.number().int().positive().max(limits.matchesMax).optional(),
	});

export const grep = grepTool(grouped);

/** As pi's tool of this name answers: each row with its path, for programs that read them. */
export const flatGrep = grepTool(flat);

function grepTool(form: HitForm): BuiltinTool {
	return defineTool({
		name: "grep",
		label: "Search files",
		prompt,
		concurrency: "shared",
		approval: "read",
		kind: "search",
		claude: { name: "Grep", renamed: { "-i": claudeSwitch("ignoreCase") } },
		schema,
		parameters,
		touches: ({ path }, context) =>
			schemeOf(path ?? "") === undefined ? treeTouch(path, context) : fileTouch("read", path, context),
		async execute(params, context) {
			using own = await openOwn(params.path ?? "", context);
			if (own && !own.ok) return errorResult(own.reason);
			const place = own ?? (await findPlace(params.path ?? ".", params.glob, context));
			if (!place) return errorResult(`There is no file or directory ${params.path}.`);
			if (!place.isSearchable) return errorResult(`${params.path} is neither a file nor a directory.`);
			const hits = new Hits(params.limit ?? limits.matches, params.context ?? 0);
			const outcome = await (own?.machine ?? context.machine).files.search(
				{
					pattern: params.pattern,
					paths: [place.path],
					cwd: context.cwd,
					globs: place.globs,
					literal: params.literal === true,
					ignoreCase: params.ignoreCase === true,
					multiline: spansLines(params.pattern),
					before: hits.context,
					after: hits.context,
					nodeModules: [place.path, ...place.globs].some((text) => text.includes("node_modules")),
					maxMatches: limits.counted,
					lineChars: limits.lineChars,
					signal: context.signal,
				},
				(event) => hits.add(own?.isText ? { ...event, path: params.path ?? event.path } : event),
			);
			if (!outcome.ok) return errorResult(failureText(outcome, params.pattern));
			if (outcome.stopped === "abort") return errorResult("The search was interrupted by the user.");
			if (outcome.matches === 0) return nothing(params, outcome);
			return showHits(hits, outcome, context.cwd, form);
		},
		view: {
			call: ({ pattern, path, glob }) =>
				`grep ${pattern ?? "…"}${path ? ` in ${path}` : ""}${glob ? ` (${glob})` : ""}`,
		},
	});
}

interface OwnPlace extends Disposable {
	readonly ok: true;
	readonly path: string;
	readonly globs: string[];
	readonly isSearchable: true;
	/** Of this machine: what Tau keeps is beside the log, wherever the tools work. */
	readonly machine: Pick<Machine, "files">;
	/** The address is the name: the file is only there for the search. */
	readonly isText: boolean;
}

/** What the addresses of the session lead to: a file, or a text. Undefined for a path. */
async function openOwn(
	path: string,
	context: ToolContext,
): Promise<OwnPlace | ({ ok: false; reason: string } & Disposable) | undefined> {
	const scheme = schemeOf(path);
	if (scheme === undefined) return undefined;
	const isOwn = scheme !== "http" && scheme !== "https" && scheme !== "mcp" && scheme !== "file";
	const resource = isOwn
		? await urlRouter(context).resolve(path, context, context.signal)
		: { ok: false as const, reason: `grep searches files, and ${scheme}:// only after it was read.` };
	const nothingOwned = { [Symbol.dispose]: () => {} };
	if (!resource.ok) return { ...resource, ...nothingOwned };
	const place = { ok: true, globs: [], isSearchable: true, machine: localMachine() } as const;
	if ("path" in resource) return { ...place, globs: [], path: resource.path, isText: false, ...nothingOwned };
	const file = temporaryFile(resource.text);
	return {
		...place,
		globs: [],
		path: file.path,
		isText: true,
		[Symbol.dispose]: () => file[Symbol.dispose](),
	};
}

/** A missing path with wildcards is used as a glob. */
async function findPlace(
	path: string,
	glob: string | undefined,
	context: ToolContext,
): Promise<{ path: string; globs: string[]; isSearchable: boolean } | undefined> {
	const globs = glob === undefined ? [] : [glob];
	const absolute = context.resolve(path);
	const there = await look(absolute, context);
	// A pipe would be waited for, and some devices never end.
	if (there)
		return { path: absolute, globs, isSearchable: there.kind === "file" || there.kind === "directory" };
	if (!/[*?[{]/.test(path)) return undefined;
	const { base, rest } = splitGlob(path);
	const start = context.resolve(base === "" ? "." : base);
	return (await look(start, context))
		? { path: start, globs: [...globs, rest], isSearchable: true }
		: undefined;
}

async function look(path: string, { machine }: ToolContext): Promise<FileFacts | undefined> {
	return machine.files.stat(path).catch(() => undefined);
}

/** A line end in the pattern, or a flag that lets `.` match one, means that matches span lines. */
function spansLines(pattern: string): boolean {
	return pattern.includes("\n") || /(?:^|[^\\])(?:\\\\)*(?:\\n|\(\?[a-z]*s)/.test(pattern);
}

function failureText(outcome: Extract<SearchOutcome, { ok: false }>, pattern: string): string {
	return outcome.reason === "pattern" ? patternProblem(pattern, outcome) : outcome.message;
}

function nothing(
	{ pattern, path, glob }: z.infer<ReturnType<typeof parameters>>,
	{ stopped, problems }: Extract<SearchOutcome, { ok: true }>,
): AgentToolResult {
	const where = `${path ? ` in ${path}` : ""}${glob ? ` (${glob})` : ""}`;
	const lines = [`No matches for ${oneLine(pattern, limits.patternChars)}${where}.`];
	if (stopped === "timeout") lines.push("The search timed out. Use a narrower path.");
	lines.push(...problems.map((problem) => `Not searched: ${oneLine(problem, limits.lineChars)}`));
	const result = textResult(lines.join("\n"), { matches: 0, files: 0, truncated: stopped === "timeout" });
	return { ...result, useless: lines.length === 1 };
}
