/** Sets, removes and lists breakpoints. */
import type { AgentToolResult } from "@tau/agent";

import type { Breakpoint } from "../client/breakpoints.ts";
import { DapError } from "../client/connection.ts";
import type { DebugSession } from "../client/debug-session.ts";
import { debuggers } from "../debuggers.ts";
import type { ToolContext } from "../../tool/define-tool.ts";
import { textResult } from "../../tool/result.ts";
import type { Arguments, BreakpointArgument } from "../parameters.ts";
import { value } from "./report.ts";

/** Adds those of the call, or removes them (all without a list); the answer lists what there is. */
export async function changeBreakpoints(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const session = context.services.get(debuggers, context).session(args.session);
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
	return textResult(listBreakpoints(session, context));
}

export function listBreakpoints(session: DebugSession, context: ToolContext): string {
	const { all, exceptions } = session.breakpoints;
	const offered = session.capabilities.exceptionBreakpointFilters ?? [];
	const lines = all.map((one) => {
		const state = one.verified === false ? ` (not set${one.message ? `: ${value(one.message)}` : ""})` : "";
		return `${describeBreakpoint(one, context)}${state}`;
	});
	if (offered.length > 0) {
		const on = exceptions ?? offered.filter((each) => each.default).map(({ filter }) => filter);
		const names = offered.map(({ filter }) => value(filter)).join(", ");
		lines.push(`exceptions: ${on.join(", ") || "none"} (offered: ${names})`);
	}
	return lines.length === 0 ? "No breakpoints." : lines.join("\n");
}

export function describeBreakpoint(one: Breakpoint, context: ToolContext): string {
	const { path, line, function: name, condition, hits, log } = one;
	const place =
		path === undefined
			? `function ${name}`
			: `${context.services.get(debuggers, context).shown(path)}:${line}`;
	return [
		place,
		...(condition === undefined ? [] : [`if ${condition}`]),
		...(hits === undefined ? [] : [`hits ${hits}`]),
		...(log === undefined ? [] : [`log ${log}`]),
	].join(" ");
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
			...(hits === undefined ? {} : { hits }),
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
