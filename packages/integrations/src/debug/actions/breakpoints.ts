/** Sets, removes and lists breakpoints. */
import type { AgentToolResult } from "@tau/agent";

import type { Breakpoint } from "../client/breakpoints.ts";
import { DapError } from "../client/connection.ts";
import { debuggers } from "../debuggers.ts";
import { type ToolContext, textResult } from "@tau/tools/tool";
import type { Arguments, BreakpointArgument } from "../parameters.ts";
import { listBreakpoints } from "../describe.ts";

/** Adds those of the call, or removes them (all without a list); the answer lists what there is. */
export async function changeBreakpoints(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const service = context.services.get(debuggers, context);
	const session = service.session(args.session);
	const given = breakpointsOf(args.breakpoints, context);
	const options = { signal: context.signal };
	const changed = args.remove
		? session.breakpoints.remove(args.breakpoints ? given : undefined)
		: (session.breakpoints.add(given), given);
	await session.sendBreakpoints(
		changed.flatMap(({ path }) => path ?? []),
		options,
	);
	if (changed.some((one) => one.function !== undefined)) await session.sendFunctions(options);
	if (args.exceptions) {
		session.breakpoints.exceptions = args.exceptions;
		await session.sendExceptions(options);
	}
	return textResult(listBreakpoints(session, service));
}

export function breakpointsOf(
	list: readonly BreakpointArgument[] | undefined,
	context: ToolContext,
): Breakpoint[] {
	return (list ?? []).map(({ at, function: name, condition, hits, log }) => {
		if ((at === undefined) === (name === undefined))
			throw new DapError("A breakpoint needs either at (file:line) or function.");
		return {
			...(at === undefined ? { function: name ?? "" } : placeBreakpoint(at, undefined, context)),
			...(condition === undefined ? {} : { condition }),
			...(hits === undefined ? {} : { hits: String(hits) }),
			...(log === undefined ? {} : { log }),
		};
	});
}

/** `src/a.py:12`, or `12` in a file that is known. */
export function placeBreakpoint(
	place: string,
	file: string | undefined,
	{ resolve }: ToolContext,
): Required<Pick<Breakpoint, "path" | "line">> {
	const [, name, line] = /^(?:(.+):)?(\d+)$/.exec(place.trim()) ?? [];
	const path = name === undefined ? file : resolve(name);
	if (path === undefined || line === undefined || Number(line) < 1)
		throw new DapError(`"${place}" is no line. Write file:line.`);
	return { path, line: Number(line) };
}
