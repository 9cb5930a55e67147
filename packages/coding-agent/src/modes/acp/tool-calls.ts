/** Tool calls in the words of the protocol: what a call does, where, and what came of it. */
import type * as acp from "@agentclientprotocol/sdk/unstable";
import { outputLimits, type CallResult } from "@tau/server/adapters";
import {
	changesIn,
	changesOf,
	describeShown,
	type ShownCall,
	type ShownChange,
} from "@tau/session-commands/shared/shown-call";
import { cutUnits, fenced, oneLine, showControls } from "@tau/utils";
import type { UserRequestOf } from "@tau/wire";

import { limits } from "./limits.ts";

/** The parts that describe a call, before it has run. */
export function describedCall(
	call: ShownCall,
): Required<Pick<acp.ToolCall, "title" | "kind" | "locations" | "rawInput">> {
	const { title, kind, places } = describeShown(call);
	const locations = places.slice(0, limits.locations);
	return { title: oneLine(title, limits.titleChars), kind, locations, rawInput: call.args };
}

/** What a request to run it shows: the whole command with what would be invisible, or what it would change. */
export function approvalContent(request: UserRequestOf<"approval">, cwd: string): acp.ToolCallContent[] {
	const { touches, preview, reason, title } = request;
	const commands = touches.flatMap((touch) => (touch.kind === "exec" ? [`$ ${touch.command}`] : []));
	const written = touches.flatMap((touch) => (touch.kind === "write" ? [touch.path] : []));
	const diffs = preview?.kind === "diff" ? changesIn(preview.text, cwd, written).map(diffOf) : [];
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

/** What came of a call, also while it still runs; an editor can go to the line that it changed first. */
export function resultOf(
	{ content, details }: CallResult,
	call: ShownCall,
): Pick<acp.ToolCallUpdate, "content" | "locations"> {
	const { kind, locations } = describedCall(call);
	const { changes, line } = changesOf(details, call.cwd);
	const shown = (part: CallResult["content"][number]): acp.ToolCallContent => {
		if (part.type === "image")
			return { type: "content", content: { type: "image", data: part.data, mimeType: part.mimeType } };
		const text = cutUnits(part.text, outputLimits.outputChars);
		const isPlain = kind === "execute" || kind === "read" || kind === "search";
		return textContent(isPlain ? fenced(text, kind === "execute" ? "console" : "") : text);
	};
	return {
		content: changes.length > 0 ? changes.map(diffOf) : content.map(shown),
		...(line === undefined ? {} : { locations: locations.map((location) => ({ ...location, line })) }),
	};
}

export function textContent(text: string): acp.ToolCallContent {
	return { type: "content", content: { type: "text", text } };
}

/** What a user decides about, as it is: Markdown in it, a comment for example, would hide the rest. */
export function shownText(text: string, language: string): string {
	return fenced(showControls(text), language);
}

function diffOf({ path, old, now }: ShownChange): acp.ToolCallContent {
	return { type: "diff", path, oldText: old, newText: now };
}
