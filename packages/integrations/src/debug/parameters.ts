/** The arguments of the tool `debug`. */
import { z } from "zod";

import { limits } from "./limits.ts";

const actions = [
	"launch",
	"attach",
	"breakpoints",
	"continue",
	"step_over",
	"step_in",
	"step_out",
	"pause",
	"threads",
	"stack",
	"variables",
	"evaluate",
	"set_variable",
	"output",
	"memory",
	"disassemble",
	"terminate",
	"sessions",
] as const;

const text = () => z.string().min(1);

const breakpoint = () =>
	z.object({
		at: text().optional().describe("file:line"),
		function: text().optional(),
		condition: text().optional(),
		hits: z.union([text(), z.number().int().positive()]).optional(),
		log: text().optional().describe("print this instead of stopping; {expressions} in braces"),
	});

export const parameters = () =>
	z.object({
		action: z.enum(actions),
		program: text().optional(),
		args: z.array(z.string()).optional(),
		cwd: text().optional(),
		env: z.record(z.string(), z.string()).optional(),
		adapter: text().optional(),
		stop_on_entry: z.boolean().optional(),
		pid: z.number().int().positive().optional(),
		host: text().optional(),
		port: z.number().int().positive().max(65_535).optional(),
		until: text().optional().describe("run to this file:line"),
		show: z.array(text()).max(limits.shown).optional().describe("expressions to show at the stop"),
		breakpoints: z.array(breakpoint()).max(limits.breakpoints).optional(),
		remove: z.boolean().optional(),
		exceptions: z.array(z.string()).optional(),
		session: text().optional(),
		thread: z.number().int().optional(),
		frame: z.number().int().nonnegative().max(1000).optional(),
		expression: text().optional(),
		value: z.string().optional(),
		address: text().optional(),
		count: z.number().int().positive().max(limits.memoryBytes).optional(),
		timeout: z.number().positive().optional().describe("seconds to wait for a stop"),
	});

export type Arguments = z.infer<ReturnType<typeof parameters>>;
export type BreakpointArgument = z.infer<ReturnType<typeof breakpoint>>;
