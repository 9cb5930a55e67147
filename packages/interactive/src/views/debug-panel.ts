/** The programs that the model debugs: where each is, and its breakpoints. */
import { truncateToWidth, type Component, type Theme } from "@tau/tui";
import { oneLine } from "@tau/utils";
import type { EventFrameOf } from "@tau/wire";

import { limits } from "../limits.ts";
import { plural } from "./format.ts";

type DebugUpdate = EventFrameOf<"debug_update">;

export class DebugPanel implements Component {
	readonly #theme: { readonly current: Theme };
	readonly #programs = new Map<string, DebugUpdate>();

	constructor(theme: { readonly current: Theme }) {
		this.#theme = theme;
	}

	follow(update: DebugUpdate): void {
		if (update.state === "ended") this.#programs.delete(update.id);
		else this.#programs.set(update.id, update);
	}

	/** The session is another one. */
	clear(): void {
		this.#programs.clear();
	}

	invalidate(): void {
		// There is no cache to clear.
	}

	render(width: number): string[] {
		if (this.#programs.size === 0) return [];
		const rows = [...this.#programs.values()].flatMap((program) => this.#rows(program, this.#theme.current));
		return ["", ...rows.map((row) => truncateToWidth(row, width))];
	}

	#rows({ program, state, place, reason, breakpoints, exceptions }: DebugUpdate, theme: Theme): string[] {
		const isStopped = state === "stopped";
		const where = [
			isStopped && place !== undefined ? `stopped at ${place}` : state,
			...(reason ? [reason] : []),
		];
		const sign = theme.fg(isStopped ? "warning" : "accent", isStopped ? "◼" : "▶");
		const name = theme.fg("text", oneLine(program, limits.lineChars));
		const shown = breakpoints.slice(0, limits.breakpointRows);
		const more = breakpoints.length - shown.length;
		return [
			` ${sign} ${name} ${theme.fg("muted", where.join(" · "))}`,
			...shown.map(({ at, isSet }) =>
				isSet === false
					? theme.fg("dim", `   ○ ${at} (not set)`)
					: `   ${theme.fg("error", "●")} ${theme.fg("muted", at)}`,
			),
			...(more > 0 ? [theme.fg("dim", `   … ${plural(more, "more breakpoint")}`)] : []),
			...(exceptions.length > 0 ? [theme.fg("dim", `   exceptions: ${exceptions.join(", ")}`)] : []),
		];
	}
}
