/** A call of a tool in one clean line. */
import { oneLine } from "@tau/utils";
import { calledTool } from "@tau/integrations/builtin";

import { limits } from "../support/limits.ts";

/** A built-in tool describes its own call; for other tools it is the name and the arguments. */
export function describeToolCall(name: string, args: Readonly<Record<string, unknown>>): string {
	const known = calledTool(name);
	if (known) return known.describeCall(args);
	const parts = Object.entries(args).map(([key, value]) => `${key}: ${shortValue(value)}`);
	return oneLine(`${name} ${parts.join(", ")}`.trim(), limits.callChars);
}

/** Whether a successful call needs no line, because its effect is visible elsewhere. */
export function isQuietCall(name: string, details: unknown): boolean {
	return calledTool(name)?.isQuiet?.(details) ?? false;
}

/** Whether images of a result are drawn for the user. */
export function showsImages(name: string): boolean {
	return calledTool(name)?.showsImages ?? false;
}

/** Markdown that a successful call leaves in the transcript. */
export function shownByCall(
	name: string,
	args: Readonly<Record<string, unknown>>,
	details: unknown,
): string | undefined {
	return calledTool(name)?.shows?.(args, details);
}

function shortValue(value: unknown): string {
	return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
