/** A recording as a page has it in itself: everything that a player needs, and nothing to fetch. */
import { isRecord } from "@tau/utils/portable";

import type { Beat, FrameBody, RecordedSession } from "../playback.ts";
import type { SessionFacts } from "../view.ts";
import { line, ShareError } from "./document.ts";

export const recordingFormat = "tau-recording";
export const recordingVersion = 1;

export interface RecordingDocument {
	readonly format: typeof recordingFormat;
	readonly version: number;
	/** When it was recorded, and by which version of Tau. */
	readonly createdAt: string;
	readonly program: string;
	readonly title: string;
	/** How many secrets were masked. */
	readonly masked: number;
	readonly recorded: RecordedSession;
}

/** Whether a text says that it is a recording: the document that Tau writes starts so. */
export function isRecording(text: string): boolean {
	return text.trimStart().startsWith(`{"format":"${recordingFormat}"`);
}

/** The recording in a text that anybody may have written. Throws a `ShareError`. */
export function parseRecording(text: string): RecordingDocument {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		throw new ShareError("This recording is damaged: its content is not complete.");
	}
	if (!isRecord(value) || value.format !== recordingFormat)
		throw new ShareError("This is not a recording of Tau.");
	const { version, recorded } = value;
	if (typeof version !== "number" || version > recordingVersion)
		throw new ShareError(
			`This recording was made by a newer version of Tau (format ${String(version)}, known: ${recordingVersion}). Update Tau to watch it.`,
		);
	if (!isRecord(recorded) || !isRecord(recorded.facts) || !isRecord(recorded.facts.session))
		throw new ShareError("This recording names no session.");
	return {
		format: recordingFormat,
		version: recordingVersion,
		createdAt: line(value.createdAt),
		program: line(value.program),
		title: line(value.title),
		masked: numberOf(value.masked),
		recorded: {
			// Made by Tau from a file that it has checked; the page checks what it draws of them.
			facts: recorded.facts as unknown as SessionFacts,
			beats: beatsOf(recorded.beats),
			steps: numberOf(recorded.steps),
			lengthMs: numberOf(recorded.lengthMs),
		},
	};
}

/** What a recording consists of: neither answers to commands nor components, which only a live session has. */
const kinds: ReadonlySet<unknown> = new Set<FrameBody["kind"]>(["entry", "event", "state"]);

function beatsOf(value: unknown): Beat[] {
	if (!Array.isArray(value)) throw new ShareError("This recording is damaged: it has no frames.");
	let last = 0;
	return value.map((beat: unknown) => {
		if (!isRecord(beat) || !Array.isArray(beat.frames) || typeof beat.at !== "number" || beat.at < last)
			throw new ShareError("This recording is damaged: its times are not in order.");
		last = beat.at;
		const isFrame = (frame: unknown): boolean =>
			isRecord(frame) && kinds.has(frame.kind) && isRecord(frame.body);
		if (!beat.frames.every(isFrame))
			throw new ShareError("This recording is damaged: it has something that is not a frame.");
		return { at: beat.at, step: numberOf(beat.step), frames: beat.frames as FrameBody[] };
	});
}

function numberOf(value: unknown): number {
	return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
