/** Compares a new run of a recorded session with the recording: requests, answers, tool results. */
import { isRecord } from "@tau/utils";

import { missText, type Deck } from "./deck.ts";
import { describe, firstDifference, type Difference } from "./difference.ts";
import type { Cassette } from "./format.ts";
import { limits } from "./limits.ts";

export interface Check {
	/** Such as `tool result 3 (bash)`. */
	readonly name: string;
	/** What differs; undefined if nothing does. */
	readonly problem?: string;
}

type Message = Readonly<Record<string, unknown>>;

/** `lines` is the log of the new run; `normal` removes what depends on the machine from it. */
export function verified(
	cassette: Cassette,
	lines: readonly string[],
	deck: Deck,
	normal: { readonly recorded: Normal; readonly actual: Normal },
): Check[] {
	const missed = new Map(deck.misses.map((miss) => [miss.request, miss]));
	const requests = Array.from({ length: deck.requests }, (_, at): Check => {
		const miss = missed.get(at + 1);
		return { name: `request ${at + 1}`, ...(miss ? { problem: missText(miss) } : {}) };
	});
	const recorded = toolResults(cassette.log, normal.recorded);
	const actual = toolResults(lines, normal.actual);
	const results = Array.from({ length: Math.max(recorded.length, actual.length) }, (_, at): Check => {
		const [before, now] = [recorded[at], actual[at]];
		const name = `tool result ${at + 1} (${String((before ?? now)?.toolName)})`;
		const difference: Difference | undefined = firstDifference(before, now);
		return { name, ...(difference ? { problem: `It differs in ${describe(difference)}` } : {}) };
	});
	const left: Check[] =
		deck.unused > 0
			? [
					{
						name: "all recorded requests were made",
						problem: `${deck.unused} of the recorded requests were not made.`,
					},
				]
			: [];
	return [...requests, ...results, ...left].slice(0, limits.differences);
}

export type Normal = (value: unknown) => unknown;

/** What the model has read of the results, in the order of the log. */
function toolResults(lines: readonly string[], normal: Normal): Message[] {
	return lines.flatMap((line) => {
		const { message } = JSON.parse(line) as Record<string, unknown>;
		if (!isRecord(message) || message.role !== "toolResult") return [];
		const { toolName, toolCallId, isError, content } = message;
		return [normal({ toolName, toolCallId, isError, content }) as Message];
	});
}

/** The report that CI systems read. */
export function junit(name: string, checks: readonly Check[]): string {
	const failures = checks.filter(({ problem }) => problem !== undefined).length;
	const cases = checks.map(({ name: check, problem }) => {
		const open = `    <testcase classname="${xml(name)}" name="${xml(check)}"`;
		return problem === undefined
			? `${open}/>`
			: `${open}>\n      <failure message="${xml(problem)}"/>\n    </testcase>`;
	});
	return [
		'<?xml version="1.0" encoding="UTF-8"?>',
		`<testsuites tests="${checks.length}" failures="${failures}">`,
		`  <testsuite name="${xml(name)}" tests="${checks.length}" failures="${failures}">`,
		...cases,
		"  </testsuite>",
		"</testsuites>",
		"",
	].join("\n");
}

/** Characters that XML cannot have, escaped or not, are left out. */
function xml(text: string): string {
	return text
		.replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "")
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;")
		.replaceAll('"', "&quot;")
		.replaceAll("\n", "&#10;");
}
