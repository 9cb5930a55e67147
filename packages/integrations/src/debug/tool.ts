/** Debugs programs: the model stops them at lines, looks at their variables, and steps. */
import { extname } from "node:path";

import type { Touch } from "@tau/agent";
import { shellQuote } from "@tau/sys";

import { defineTool, type TouchContext } from "@tau/tools/tool";
import { adapterTable } from "./adapters/table.ts";
import schema from "./parameters.json";
import { parameters, type Arguments } from "./parameters.ts";
import prompt from "./prompt.md" with { type: "text" };

export const debug = defineTool({
	name: "debug",
	label: "Debug",
	prompt,
	concurrency: "exclusive",
	approval: "exec",
	searchHint: "breakpoints, variables, steps",
	schema,
	parameters,
	touches: (args, context) => debugTouches(args, context),
	// The rest looks at a program whose start was approved, or lets it run on.
	approvalFor: ({ action, ...args }) =>
		action === "launch" || action === "attach" || typedTexts(args).length > 0 ? "exec" : "read",
	async execute(args, context) {
		const { answer } = await import("./actions/answer.ts");
		return await answer(args, context);
	},
	view: {
		call: ({ action, program, args, until, expression, pid, port }) => {
			const target =
				program === undefined ? (expression ?? pid ?? port) : [program, ...(args ?? [])].join(" ");
			return ["debug", action ?? "…", target, until === undefined ? undefined : `until ${until}`]
				.filter((word) => word !== undefined)
				.join(" ");
		},
	},
});

/** The program is judged as the command that runs it; what is evaluated in it as text that is typed into it. */
function debugTouches(args: Partial<Arguments>, { cwd, resolve }: TouchContext): Touch[] {
	const { action, program, adapter, pid, host, port, env } = args;
	const directory = args.cwd === undefined ? cwd : resolve(args.cwd);
	const typed = typedTexts(args).map((command): Touch => ({
		kind: "exec",
		command,
		cwd: directory,
		isTyped: true,
	}));
	if (action === "launch" && program !== undefined) {
		const runner = adapterTable.find(({ files }) => files.includes(extname(program)))?.runner ?? [];
		const name = runner.length > 0 || program.includes("/") ? program : `./${program}`;
		const command = [...runner, name, ...(args.args ?? [])].map(word).join(" ");
		return [{ kind: "exec", command, cwd: directory, ...(env ? { env } : {}) }, ...typed];
	}
	if (action !== "attach") return typed;
	const target =
		pid === undefined ? ["--connect", `${host ?? "127.0.0.1"}:${port ?? ""}`] : ["--pid", `${pid}`];
	return [{ kind: "exec", command: [adapter ?? "debugger", ...target].map(word).join(" "), cwd }, ...typed];
}

/** What is evaluated in the program. */
function typedTexts({ expression, value, show = [], breakpoints = [] }: Partial<Arguments>): string[] {
	return [
		...(expression === undefined ? [] : [value === undefined ? expression : `${expression} = ${value}`]),
		...show,
		...breakpoints.flatMap(({ condition, hits, log }) =>
			[condition, hits, log].flatMap((text) => (text === undefined ? [] : [String(text)])),
		),
	];
}

const word = (text: string): string => (/^[\w./@%+,:=-]+$/.test(text) ? text : shellQuote(text));
