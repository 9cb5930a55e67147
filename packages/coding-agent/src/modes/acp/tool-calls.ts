/** Tool calls as clients show them: what a call does, where, and what came of it. */
import { resolve } from "node:path";

import type * as acp from "@agentclientprotocol/sdk/unstable";
import { calledTool } from "@tau/integrations/builtin";
import { diffParts } from "@tau/tools/files";
import { cutUnits, expandHome, isRecord, oneLine, showControls } from "@tau/utils";
import type { EventFrameOf, Touch, UserRequestOf } from "@tau/wire";

import { limits } from "./limits.ts";

export type Arguments = Readonly<Record<string, unknown>>;
type Result = EventFrameOf<"tool_execution_end">["result"];

export interface ShownCall {
	readonly toolName: string;
	readonly args: Arguments;
	/** Where the session works. */
	readonly cwd: string;
	/** The agent that makes it; absent for the session's own. */
	readonly agent?: string | undefined;
}

/** The parts that describe a call, before it has run. */
export function describedCall(
	call: ShownCall,
): Required<Pick<acp.ToolCall, "title" | "kind" | "locations" | "rawInput">> {
	const { toolName, args, agent } = call;
	const touches = touchesOf(call);
	const title = calledTool(toolName)?.describeCall(args) ?? toolName;
	return {
		title: oneLine(agent === undefined ? title : `${agent}: ${title}`, limits.titleChars),
		kind: kindOf(toolName, touches),
		locations: locationsOf(touches),
		rawInput: args,
	};
}

function touchesOf({ toolName, args, cwd }: ShownCall): readonly Touch[] {
	const context = { cwd, resolve: (path: string) => resolve(cwd, expandHome(path)) };
	return (calledTool(toolName)?.touches(args, context) ?? []) as readonly Touch[];
}

/** The gravest first. */
const kinds: Readonly<Record<Touch["kind"], acp.ToolKind>> = {
	exec: "execute",
	delete: "delete",
	write: "edit",
	fetch: "fetch",
	read: "read",
};

/** What a tool says of itself, and otherwise the gravest thing that the call touches. */
function kindOf(toolName: string, touches: readonly Touch[]): acp.ToolKind {
	const tool = calledTool(toolName);
	const touched = Object.keys(kinds).find((kind) => touches.some((touch) => touch.kind === kind));
	if (tool?.kind) return tool.kind;
	if (touched !== undefined) return kinds[touched as Touch["kind"]];
	return tool?.approval === "exec" ? "execute" : "other";
}

/** What may follow the name of a file, such as lines or a part of an archive, is named with it: `a.ts:50-100`. */
function locationsOf(touches: readonly Touch[]): acp.ToolCallLocation[] {
	const paths = touches.flatMap((touch) => ("path" in touch ? [touch.path] : []));
	const lines = new Map<string, number | undefined>();
	for (const path of paths) {
		const file = paths.find((other) => path.startsWith(`${other}:`)) ?? path;
		const [, line] = /^:(\d+)/.exec(path.slice(file.length)) ?? [];
		lines.set(file, lines.get(file) ?? (line === undefined ? undefined : Math.max(1, Number(line))));
	}
	return [...lines]
		.slice(0, limits.locations)
		.map(([path, line]) => ({ path, ...(line === undefined ? {} : { line }) }));
}

/** What a request to run it shows: the whole command with what would be invisible, or what it would change. */
export function approvalContent(request: UserRequestOf<"approval">, cwd: string): acp.ToolCallContent[] {
	const { touches, preview, reason, title } = request;
	const commands = touches.flatMap((touch) => (touch.kind === "exec" ? [`$ ${touch.command}`] : []));
	const written = touches.flatMap((touch) => (touch.kind === "write" ? [touch.path] : []));
	const diffs = preview?.kind === "diff" ? diffContents(preview.text, cwd, written) : [];
	const addresses = touches.flatMap((touch) => (touch.kind === "fetch" ? [touch.url] : []));
	return [
		...(title === undefined ? [] : [textContent(title)]),
		...(commands.length > 0 ? [textContent(shownText(commands.join("\n"), "sh"))] : []),
		...diffs,
		...(preview && diffs.length === 0
			? [textContent(shownText(preview.text, preview.kind === "diff" ? "diff" : ""))]
			: []),
		...addresses.map((url) => textContent(shownText(url, ""))),
		...(reason === undefined ? [] : [textContent(reason)]),
	];
}

/** What came of a call, also while it still runs. */
export function resultContent({ content, details }: Result, call: ShownCall): acp.ToolCallContent[] {
	const { kind } = describedCall(call);
	const patch = isRecord(details) ? (details["patch"] ?? details["diff"]) : undefined;
	const diffs = typeof patch === "string" ? diffContents(patch, call.cwd) : [];
	if (diffs.length > 0) return diffs;
	const isPlain = kind === "execute" || kind === "read" || kind === "search";
	return content.map((part) => {
		if (part.type === "image")
			return { type: "content", content: { type: "image", data: part.data, mimeType: part.mimeType } };
		const text = cutUnits(part.text, limits.outputChars);
		return textContent(isPlain ? fenced(text, kind === "execute" ? "console" : "") : text);
	});
}

/** The line that an edit changed first, so that an editor can go there. */
export function changedLocations(
	{ details }: Result,
	locations: readonly acp.ToolCallLocation[],
): acp.ToolCallLocation[] | undefined {
	const line = isRecord(details) ? details["firstChangedLine"] : undefined;
	if (typeof line !== "number") return undefined;
	return locations.map((location) => ({ ...location, line }));
}

export function textContent(text: string): acp.ToolCallContent {
	return { type: "content", content: { type: "text", text } };
}

/** What a user decides about, as it is: Markdown in it, a comment for example, would hide the rest. */
export function shownText(text: string, language: string): string {
	return fenced(showControls(text), language);
}

/** A block that no line of the text can end. */
export function fenced(text: string, language: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/^\s*(`{3,})/gm)].map(([, ticks = ""]) => ticks.length));
	const fence = "`".repeat(longest + 1);
	return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** A diff that names no file is of the only one that the call writes. */
function diffContents(diff: string, cwd: string, written: readonly string[] = []): acp.ToolCallContent[] {
	const [only, other] = new Set(written);
	return diffParts(diff).flatMap(({ name, old, now }): acp.ToolCallContent[] => {
		const path =
			name === undefined ? (other === undefined ? only : undefined) : resolve(cwd, expandHome(name));
		return path === undefined ? [] : [{ type: "diff", path, oldText: old ?? null, newText: now }];
	});
}
