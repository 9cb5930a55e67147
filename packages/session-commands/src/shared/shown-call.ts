/** A tool call as clients without a view of each tool show it: what it does, where, and what it changed. */
import { resolve } from "node:path";

import { calledTool } from "@tau/integrations/builtin";
import { diffParts } from "@tau/tools/files";
import type { CallKind } from "@tau/tools/tool";
import { expandHome, isRecord } from "@tau/utils";
import type { Touch } from "@tau/wire";

export interface TouchingCall {
	readonly toolName: string;
	readonly args: Readonly<Record<string, unknown>>;
	/** Where the session works. */
	readonly cwd: string;
}

export interface ShownCall extends TouchingCall {
	/** The agent that makes it; absent for the session's own. */
	readonly agent?: string | undefined;
}

export interface CallPlace {
	readonly path: string;
	/** Counted from 1. */
	readonly line?: number;
}

/** What there is to say before it has run. The places are bounded by the caller. */
export function describeShown(call: ShownCall): { title: string; kind: CallKind; places: CallPlace[] } {
	const { toolName, args, agent } = call;
	const touches = touchesOf(call);
	const title = calledTool(toolName)?.describeCall(args) ?? toolName;
	return {
		title: agent === undefined ? title : `${agent}: ${title}`,
		kind: kindOf(toolName, touches),
		places: placesOf(touches),
	};
}

export function touchesOf({ toolName, args, cwd }: TouchingCall): readonly Touch[] {
	const context = { cwd, resolve: (path: string) => resolve(cwd, expandHome(path)) };
	return (calledTool(toolName)?.touches(args, context) ?? []) as readonly Touch[];
}

/** The gravest first. */
const kinds: Readonly<Record<Touch["kind"], CallKind>> = {
	exec: "execute",
	delete: "delete",
	write: "edit",
	fetch: "fetch",
	read: "read",
};

/** What a tool says of itself, and otherwise the gravest thing that the call touches. */
function kindOf(toolName: string, touches: readonly Touch[]): CallKind {
	const tool = calledTool(toolName);
	const touched = Object.keys(kinds).find((kind) => touches.some((touch) => touch.kind === kind));
	if (tool?.kind) return tool.kind;
	if (touched !== undefined) return kinds[touched as Touch["kind"]];
	return tool?.approval === "exec" ? "execute" : "other";
}

/** What may follow the name of a file, such as lines or a part of an archive, is named with it: `a.ts:50-100`. */
function placesOf(touches: readonly Touch[]): CallPlace[] {
	const paths = touches.flatMap((touch) => ("path" in touch ? [touch.path] : []));
	const lines = new Map<string, number | undefined>();
	for (const path of paths) {
		const file = paths.find((other) => path.startsWith(`${other}:`)) ?? path;
		const [, line] = /^:(\d+)/.exec(path.slice(file.length)) ?? [];
		lines.set(file, lines.get(file) ?? (line === undefined ? undefined : Math.max(1, Number(line))));
	}
	return [...lines].map(([path, line]) => ({ path, ...(line === undefined ? {} : { line }) }));
}

/** A file with its old text, or null where it is new, and its new one. */
export interface ShownChange {
	readonly path: string;
	readonly old: string | null;
	readonly now: string;
}

/** What a diff changes. One that names no file is of the only one that is written. */
export function changesIn(diff: string, cwd: string, written: readonly string[] = []): ShownChange[] {
	const [only, other] = new Set(written);
	return diffParts(diff).flatMap(({ name, old, now }): ShownChange[] => {
		const path =
			name === undefined ? (other === undefined ? only : undefined) : resolve(cwd, expandHome(name));
		return path === undefined ? [] : [{ path, old: old ?? null, now }];
	});
}

/** What came of a call: the changes that it made, and the line that it changed first. */
export function changesOf(details: unknown, cwd: string): { changes: ShownChange[]; line?: number } {
	if (!isRecord(details)) return { changes: [] };
	const patch = details["patch"] ?? details["diff"];
	const line = details["firstChangedLine"];
	return {
		changes: typeof patch === "string" ? changesIn(patch, cwd) : [],
		...(typeof line === "number" ? { line } : {}),
	};
}

/** A change as a patch that git takes: all old lines, then all new ones. */
export function patchOf({ path, old, now }: ShownChange): string {
	const before = old === null ? [] : old.split("\n");
	const after = now.split("\n");
	return [
		`--- ${old === null ? "/dev/null" : `a${path}`}`,
		`+++ b${path}`,
		`@@ -${before.length === 0 ? 0 : 1},${before.length} +1,${after.length} @@`,
		...before.map((line) => `-${line}`),
		...after.map((line) => `+${line}`),
		"",
	].join("\n");
}
