/** A call in one line: a sign for its state, the call, and its duration. */
import { truncateToWidth, visibleWidth, type Component, type Theme } from "@tau/tui";
import type { ToolCallState } from "@tau/extensions/api";

import { duration, elapsed } from "./format.ts";
import { limits } from "./limits.ts";
import { pulsing } from "./pulse.ts";

type CallStatus = Pick<
	ToolCallState,
	"executionStarted" | "isPartial" | "isError" | "isDropped" | "elapsedMs"
>;

export interface CallLineParts {
	/** The first word is the tool. */
	described: string;
	call: CallStatus;
	theme: Theme;
	hasMotion: boolean;
	/** What it led to, painted. */
	outcome?: string;
	/** It has ended, but not as it was meant to. */
	isWarning?: boolean;
}

/** Created anew for each frame: nothing is cached. */
export class CallLine implements Component {
	readonly #parts: CallLineParts;

	constructor(parts: CallLineParts) {
		this.#parts = parts;
	}

	invalidate(): void {
		// Nothing is cached.
	}

	render(width: number): string[] {
		const { described, call, theme, isWarning = false } = this.#parts;
		const [verb = described] = described.split(/\s/, 1);
		const outcome = width < limits.leastTimeWidth ? "" : (this.#parts.outcome ?? "");
		const took = width < limits.leastTimeWidth ? "" : timeOf(call);
		const time = outcome === "" || took === "" ? took : ` ·${took}`;
		const paint = paintOf(this.#parts);
		const what = paint(theme.bold(verb)) + theme.fg("muted", described.slice(verb.length));
		const room = Math.max(4, width - 3 - time.length - visibleWidth(outcome));
		return [
			` ${signOf(call, theme, paint, isWarning)} ${truncateToWidth(what, room)}${outcome}${theme.fg("dim", time)}`,
		];
	}
}

type Paint = (text: string) => string;

function paintOf({ call, theme, hasMotion, isWarning = false }: CallLineParts): Paint {
	if (call.isError) return (text) => theme.fg("error", text);
	if (isWarning) return (text) => theme.fg("warning", text);
	const pulse = isRunning(call) && hasMotion ? pulsing(theme, call.elapsedMs) : undefined;
	return pulse ?? ((text) => theme.fg("toolTitle", text));
}

function signOf(call: CallStatus, theme: Theme, paint: Paint, isWarning: boolean): string {
	if (isRunning(call)) return paint("●");
	if (call.isDropped || call.isPartial) return theme.fg("dim", "·");
	if (call.isError) return theme.fg("error", "✗");
	return isWarning ? theme.fg("warning", "!") : theme.fg("success", "✓");
}

function isRunning({ executionStarted, isPartial }: CallStatus): boolean {
	return executionStarted && isPartial;
}

function timeOf({ isPartial, elapsedMs }: CallStatus): string {
	if (elapsedMs < limits.shownDurationMs) return "";
	return ` ${isPartial ? elapsed(elapsedMs) : duration(elapsedMs)}`;
}
