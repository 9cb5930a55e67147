/** What the model and the user read when a call does not run. */
import type { Decision } from "@tau/agent";
import { oneLine, showControls } from "@tau/utils";

import { grantText } from "./grants.ts";
import type { Ask } from "./judge.ts";
import { limits } from "./limits.ts";
import { reasonsOf } from "./reasons.ts";

export function denied(tool: string, reason: string): Decision {
	return no(`${tool} was not run: ${reason}. Do not try to reach the same another way.`);
}

export function readOnly(tool: string, reason: string): Decision {
	const instead = "Read what you need, then present your plan. The user can leave plan mode with /mode.";
	return no(
		`${tool} was not run: the session is in plan mode, which is read-only, and ${reason}. ${instead}`,
	);
}

export function declined(tool: string, message: string | undefined): Decision {
	const words = message?.trim() ?? "";
	if (words !== "") return no(`The user declined ${tool} and says: ${words}`, `Declined: ${words}`);
	return no(
		`The user declined ${tool}. Do not try to reach the same another way; continue without it, or ask what they want.`,
		"Declined.",
	);
}

export function unsteady(tool: string): Decision {
	return no(
		`${tool} was not run: what it would touch changed each time while the user was asked. Find out what changes it, then try again.`,
	);
}

export function unanswered(tool: string, asks: readonly Ask[], forced: readonly string[]): Decision {
	const why = reasons(asks, forced);
	const instead =
		"Do what you can without it, with the file tools and read-only commands, and say at the end what is left to do.";
	return no(
		`${tool} was not run: it needs the user's approval (${why}), and nobody can answer here. ${instead}`,
	);
}

/** One line for the user, with what would have allowed the call. */
export function refusalNotice(tool: string, asks: readonly Ask[], forced: readonly string[]): string {
	const why = oneLine(reasons(asks, forced), limits.noticeChars);
	const rules = [
		...new Set(
			asks.flatMap(({ subject, cause }) => (subject && cause === "mode" ? [grantText(subject)] : [])),
		),
	];
	const isByRule = forced.length === 0 && rules.length > 0 && asks.every(({ cause }) => cause === "mode");
	const way = isByRule
		? `add ${oneLine(rules.join(", "), limits.noticeChars)} to permissions.allow, or run with --auto-approve`
		: "run with --auto-approve";
	return `${tool} was denied: this session has no one to approve it: ${why}. To allow it, ${way}.`;
}

function reasons(asks: readonly Ask[], forced: readonly string[]): string {
	return showControls(reasonsOf(asks, forced));
}

function no(reason: string, shown?: string): Decision {
	return { allow: false, reason, ...(shown === undefined ? {} : { shown }) };
}
