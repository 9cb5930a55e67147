/** A call of a tool in one clean line. */
import { isRecord, oneLine } from "@tau/utils";
import { calledTool } from "@tau/tools/builtin";

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

/** What the sandbox has denied a call, in short: hosts, paths and services. */
export function deniedSubjects(details: unknown): string[] {
	if (!isRecord(details) || !Array.isArray(details.sandboxSubjects)) return [];
	return details.sandboxSubjects.filter((subject) => typeof subject === "string");
}

/** Whether images of a result are drawn for the user. */
export function showsImages(name: string): boolean {
	return calledTool(name)?.showsImages ?? false;
}

function shortValue(value: unknown): string {
	return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
