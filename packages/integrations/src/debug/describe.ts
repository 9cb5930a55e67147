/** The programs that are debugged and their breakpoints, in lines for the model and the user. */
import type { SessionEvent } from "@tau/session/run";
import { oneLine, stripControls } from "@tau/utils";

import { isSamePlace, type Breakpoint } from "./client/breakpoints.ts";
import { records } from "./client/connection.ts";
import type { DebugSession } from "./client/debug-session.ts";
import type { Debuggers } from "./debuggers.ts";
import { limits } from "./limits.ts";

const clean = (text: string): string => oneLine(stripControls(text), limits.valueChars);

/** Each program with its state and its breakpoints; mistakes in the settings come last. */
export function describeSessions(service: Debuggers): string[] {
	const blocks = service.sessions.flatMap((session) => {
		const [, ...children] = session.family;
		const list = session.state === "ended" ? [] : listBreakpoints(session, service).split("\n");
		return [
			describeSession(session),
			...children.map((child) => `  ${describeSession(child)}`),
			...list.map((line) => `  ${line}`),
		];
	});
	return [...blocks, ...service.problems];
}

function describeSession({ id, label, row, state, stop, ending, place }: DebugSession): string {
	const stopped = `stopped${place === undefined ? "" : ` at ${place}`}: ${stop?.reason}`;
	const how = state === "stopped" ? stopped : state === "ended" ? `ended: ${ending}` : state;
	return `${id} ${clean(label)} (${row.name}), ${clean(how)}`;
}

type DebugUpdate = Extract<SessionEvent, { type: "debug_update" }>;

/** For clients: a program with its breakpoints. */
export function debugUpdate(program: DebugSession, service: Debuggers): DebugUpdate {
	const { place, stop, state } = program.state === "ended" ? program : program.active;
	const reason = state === "ended" ? program.ending : stop?.reason;
	return {
		type: "debug_update",
		id: program.id,
		program: clean(program.label),
		adapter: program.row.name,
		state,
		...(place === undefined ? {} : { place: clean(place) }),
		...(reason === undefined ? {} : { reason: clean(reason) }),
		breakpoints: placesOf(program).map((one) => ({
			at: clean(describeBreakpoint(one, service)),
			...(one.verified === undefined ? {} : { isSet: one.verified }),
		})),
		exceptions: enabledFilters(program).map(clean),
	};
}

/** An adapter may move a breakpoint to the line of another one: that is shown once. */
function placesOf({ breakpoints: { all } }: DebugSession): Breakpoint[] {
	return all.filter((one, at) => all.findIndex((other) => isSamePlace(one, other)) === at);
}

function enabledFilters({ breakpoints, capabilities }: DebugSession): string[] {
	const offered = records(capabilities.exceptionBreakpointFilters);
	return [...(breakpoints.exceptions ?? offered.filter((each) => each.default).map(({ filter }) => filter))];
}

export function listBreakpoints(session: DebugSession, service: Debuggers): string {
	const offered = records(session.capabilities.exceptionBreakpointFilters);
	const lines = placesOf(session).map((one) => {
		const state = one.verified === false ? ` (not set${one.message ? `: ${clean(one.message)}` : ""})` : "";
		return `${describeBreakpoint(one, service)}${state}`;
	});
	if (offered.length > 0) {
		const on = enabledFilters(session);
		const names = offered.map(({ filter }) => clean(filter)).join(", ");
		lines.push(`exceptions: ${on.join(", ") || "none"} (offered: ${names})`);
	}
	return lines.length === 0 ? "No breakpoints." : lines.join("\n");
}

export function describeBreakpoint(one: Breakpoint, service: Debuggers): string {
	const { path, line, function: name, condition, hits, log } = one;
	const place = path === undefined ? `function ${name}` : `${service.shown(path)}:${line}`;
	return [
		place,
		...(condition === undefined ? [] : [`if ${condition}`]),
		...(hits === undefined ? [] : [`hits ${hits}`]),
		...(log === undefined ? [] : [`log ${log}`]),
	].join(" ");
}
