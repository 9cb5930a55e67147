/** Delegates tasks to agents, each with its own context. */
import { oneLine } from "@tau/utils";
import { z } from "zod";

import { defineTool, type BuiltinTool } from "../tool/define-tool.ts";
import type { ToolEnv } from "../tool/env.ts";
import { agentsOf, type AgentType } from "./agent-type.ts";
import { limits } from "./limits.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

const amount = () => z.number().positive().optional();

const parameters = () =>
	z.object({
		context: z.string().max(limits.assignmentChars).optional().describe("for all tasks"),
		tasks: z
			.array(
				z.object({
					assignment: z.string().min(1).max(limits.assignmentChars),
					agent: z.string().optional().describe("default task"),
					name: z.string().optional(),
					model: z.string().optional(),
					tools: z.array(z.string()).optional(),
					budget: z
						.object({ cost: amount().describe("$"), tokens: amount(), turns: amount(), seconds: amount() })
						.optional(),
					isolation: z.enum(["none", "auto"]).optional(),
					schema: z.record(z.string(), z.unknown()).optional().describe("JSON Schema"),
				}),
			)
			.min(1)
			.max(limits.tasks),
		background: z.boolean().optional(),
	});

const base = defineTool({
	name: "task",
	label: "Delegate tasks",
	prompt,
	concurrency: "shared",
	// What the agents do is approved call by call.
	approval: "read",
	kind: "think",
	claude: { name: "Task", aliases: ["Agent"] },
	opensAgents: true,
	schema,
	parameters,
	async execute(params, context) {
		const { runTasks } = await import("./run-tasks.ts");
		return runTasks(params, context);
	},
	view: { call: ({ tasks = [] }) => `task ${callText(tasks)}` },
});

export const task: BuiltinTool = {
	...base,
	bind(env) {
		const bound = base.bind(env);
		const description = describedTypes(env);
		return {
			...bound,
			get parameters() {
				return bound.parameters;
			},
			// Asked with each request: which types there are depends on the session.
			get description() {
				return description();
			},
		};
	},
};

/** The assignment of one; of several, only who they are, because each has a row below. */
function callText(tasks: z.infer<ReturnType<typeof parameters>>["tasks"]): string {
	const names = tasks.map(({ name, agent = "task" }) => name ?? agent);
	const [only, ...others] = tasks;
	if (!only) return "…";
	return others.length === 0
		? `${names.join("")}: ${oneLine(only.assignment, limits.rowChars)}`
		: `${tasks.length} agents: ${names.join(", ")}`;
}

/** The description with the types; written again when others are there. */
function describedTypes(env: ToolEnv): () => string {
	let known: { types: readonly AgentType[]; text: string } | undefined;
	return () => {
		const spawns = env.sessions?.spawns ?? "*";
		const types = agentsOf(env).filter(({ name }) => spawns === "*" || spawns.includes(name));
		const isSame =
			known?.types.length === types.length && types.every((type, at) => type === known?.types[at]);
		if (known && isSame) return known.text;
		const rows = types
			.slice(0, limits.listedTypes)
			.map(({ name, description }) => `- ${name}: ${oneLine(description, limits.typeChars)}`);
		known = { types, text: [prompt.trim(), ...rows].join("\n") };
		return known.text;
	};
}
