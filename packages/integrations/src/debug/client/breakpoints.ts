/** The breakpoints of one debuggee: where the user and the model want to stop, and what the adapter made of it. */
import type { DebugProtocol } from "@vscode/debugprotocol";

import { limits } from "../limits.ts";
import { DapError } from "./connection.ts";
import { logMark } from "./output.ts";

/** A line of a file, or a function. */
export interface Breakpoint {
	readonly path?: string;
	line?: number;
	readonly function?: string;
	readonly condition?: string;
	readonly hits?: string;
	/** Printed instead of a stop; expressions are in braces. */
	readonly log?: string;
	/** The line that was asked for, if the adapter has moved it. */
	askedLine?: number;
	/** Removed at the next stop: the goal of "run to this line". */
	readonly isTemporary?: boolean;
	/** Of the adapter, as soon as it knows. */
	verified?: boolean;
	/** The session that reported it. */
	setBy?: string;
	message?: string;
}

export class Breakpoints {
	#all: Breakpoint[] = [];
	#exceptions: readonly string[] | undefined;

	get all(): readonly Breakpoint[] {
		return this.#all;
	}

	/** The filters that stop at exceptions; undefined for those that the adapter has on by default. */
	get exceptions(): readonly string[] | undefined {
		return this.#exceptions;
	}

	set exceptions(filters: readonly string[] | undefined) {
		this.#exceptions = filters;
	}

	/** One of the same place is replaced. */
	add(added: readonly Breakpoint[]): void {
		const others = this.#all.filter((old) => !added.some((one) => isSamePlace(one, old)));
		if (others.length + added.length > limits.breakpoints)
			throw new DapError(`A program can have at most ${limits.breakpoints} breakpoints.`);
		this.#all = [...others, ...added];
	}

	/** Those at these places, or all; returns them. */
	remove(places?: readonly Breakpoint[]): Breakpoint[] {
		const isGone = (one: Breakpoint): boolean => places?.some((place) => isSamePlace(place, one)) ?? true;
		const gone = this.#all.filter(isGone);
		this.#all = this.#all.filter((one) => !gone.includes(one));
		return gone;
	}

	/** Takes out those that were for one stop only; returns their files. */
	dropTemporary(): string[] {
		const gone = this.#all.filter(({ isTemporary }) => isTemporary);
		this.#all = this.#all.filter((one) => !gone.includes(one));
		return gone.flatMap(({ path }) => path ?? []);
	}

	get files(): string[] {
		return [...new Set(this.#all.flatMap(({ path }) => path ?? []))];
	}

	in(path: string): Breakpoint[] {
		return this.#all.filter((one) => one.path === path);
	}

	get functions(): Breakpoint[] {
		return this.#all.filter((one) => one.function !== undefined);
	}
}

export function isSamePlace(a: Breakpoint, b: Breakpoint): boolean {
	return a.path === b.path && a.function === b.function && a.line === b.line;
}

/** What the adapter of one session reports. A process that has not loaded the file does not take back what another set. */
export function noteReport(one: Breakpoint, reported: object, session: string): void {
	const { verified, message, line }: Partial<DebugProtocol.Breakpoint> = reported;
	if (verified !== true && one.verified === true && one.setBy !== session) return;
	one.verified = verified === true;
	one.setBy = session;
	if (typeof message === "string") one.message = message;
	else delete one.message;
	if (typeof line === "number" && one.line !== undefined) {
		if (line !== one.line) one.askedLine ??= one.line;
		one.line = line;
	}
}

export function sourceBreakpoint({
	line = 1,
	condition,
	hits,
	log,
}: Breakpoint): DebugProtocol.SourceBreakpoint {
	return {
		line,
		...(condition === undefined ? {} : { condition }),
		...(hits === undefined ? {} : { hitCondition: hits }),
		...(log === undefined ? {} : { logMessage: `${logMark}${log}` }),
	};
}

export function functionBreakpoint({
	function: name = "",
	condition,
	hits,
}: Breakpoint): DebugProtocol.FunctionBreakpoint {
	return {
		name,
		...(condition === undefined ? {} : { condition }),
		...(hits === undefined ? {} : { hitCondition: hits }),
	};
}
