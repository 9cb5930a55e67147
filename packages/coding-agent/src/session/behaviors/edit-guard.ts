/** Stops an answer as soon as an edit that it is writing cannot match any more, and says so to the model. */
import type { ToolCall } from "@tau/ai";

import { fill } from "../../prompts/fill.ts";
import stopped from "../../tools/edit/guard-stopped.md" with { type: "text" };
import { canStillMatch, type GuardFiles } from "../../tools/edit/guard.ts";
import { editMode } from "../../tools/files/edit-mode.ts";
import { snapshotsOf } from "../../tools/files/snapshots.ts";
import { readTextFile } from "../../tools/files/text-file.ts";
import type { ToolPlace } from "../../tools/place.ts";
import type { Behavior, SessionEvent } from "../behavior.ts";

/** `isReadOnly` tells the tools after which files are as they were. */
export function editGuard(place: ToolPlace, isReadOnly: (tool: string) => boolean): Behavior {
	return {
		name: "edit-guard",
		attach(session) {
			const news = new News();
			return session.on(async (event) => {
				const written = writtenEdit(event, isReadOnly);
				if (!written || !news.isNew(written.delta)) return;
				const verdict = await canStillMatch(written.call.arguments, editMode(place), filesOf(place));
				if (verdict.ok) return;
				const content = fill(stopped, { reason: verdict.reason });
				session.interrupt({
					reason: `An edit${verdict.path ? ` of ${verdict.path}` : ""} could not match.`,
					discard: true,
					// The person is told the reason; these are words for the model, and not the person's.
					message: {
						role: "custom",
						customType: "edit-guard",
						content,
						display: false,
						timestamp: Date.now(),
					},
				});
			});
		},
	};
}

interface Written {
	call: ToolCall;
	/** What has just come. */
	delta: string;
}

/** The edit that is being written. What comes after a call that may change files is judged when it runs. */
function writtenEdit(event: SessionEvent, isReadOnly: (tool: string) => boolean): Written | undefined {
	if (event.type !== "message_update" || event.assistantMessageEvent.type !== "toolcall_delta")
		return undefined;
	const { contentIndex, delta } = event.assistantMessageEvent;
	const { content } = event.message;
	const call = content[contentIndex];
	if (call?.type !== "toolCall" || call.name !== "edit") return undefined;
	const before = content.slice(0, contentIndex);
	const isAsItWas = before.every((block) => block.type !== "toolCall" || isReadOnly(block.name));
	return isAsItWas ? { call, delta } : undefined;
}

/** A verdict can only change when a line or a field of the arguments is finished. */
class News {
	#pending = "";

	isNew(delta: string): boolean {
		const text = this.#pending + delta;
		// In JSON a line break is two letters, which may come one by one.
		const isNew = /\\n|[",}\]]/.test(text);
		this.#pending = isNew ? "" : text.slice(-1);
		return isNew;
	}
}

function filesOf(place: ToolPlace): GuardFiles {
	return {
		resolve: (path) => place.resolve(path),
		text(path) {
			const file = readTextFile(path, place.resolve(path));
			return file.ok ? file.text : undefined;
		},
		seen(path, tag) {
			const file = readTextFile(path, place.resolve(path));
			return file.ok ? snapshotsOf(place).find(file.target, tag)?.text : undefined;
		},
	};
}
