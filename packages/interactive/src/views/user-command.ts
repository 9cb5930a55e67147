/** A command that the user ran with `!`, or a cell with `$`: the command line, its output, and how it ended. */
import { truncateToWidth, visibleWidth, wrapTextWithAnsi, type Theme } from "@tau/tui";
import { oneLine, stripControls } from "@tau/utils";

import { limits } from "../limits.ts";
import { duration, elapsed, plural } from "./format.ts";
import { ViewBlock, type ViewContext } from "./view-context.ts";

export interface CommandEnd {
	output: string;
	exitCode?: number | undefined;
	cancelled: boolean;
	/** The session keeps only a part of the output. */
	truncated?: boolean;
	/** The file that has all of it. */
	fullOutputPath?: string;
	/** Undefined if the duration was not measured. */
	tookMs?: number;
}

/** What the user ran: a command or, with a language, a cell. */
export interface UserRun {
	readonly command: string;
	/** Models do not see it. */
	readonly isPrivate: boolean;
	readonly language?: "python" | "js" | undefined;
	/** Who runs it, if that is another client. */
	readonly by?: string | undefined;
}

export class UserCommandView extends ViewBlock {
	readonly #command: string;
	readonly #sign: string;
	readonly #by: string | undefined;
	readonly #startedAt: number;
	#output = "";
	#end: CommandEnd | undefined;
	#beat: Disposable | undefined;

	constructor(view: ViewContext, { command, isPrivate, language, by }: UserRun, end?: CommandEnd) {
		super(view);
		const sign = language === undefined ? "!" : "$";
		this.#sign = `${isPrivate ? `${sign}${sign}` : sign}${language === "js" ? "js" : ""}`;
		this.#by = by === view.self ? undefined : by;
		this.#command = oneLine(command, limits.lineChars);
		this.#startedAt = view.animation.now();
		this.#end = end;
		if (end) this.#output = end.output;
		else this.#beat = view.animation.animate(this);
	}

	show(output: string): void {
		this.#output = output;
		this.changed();
	}

	finish(end: CommandEnd): void {
		this.#end = end;
		this.#output = end.output;
		this.#beat?.[Symbol.dispose]();
		this.#beat = undefined;
		this.changed();
	}

	protected override isDone(): boolean {
		return this.#end !== undefined;
	}

	protected draw(width: number, theme: Theme): string[] {
		const mark = theme.fg("bashMode", theme.bold(this.#sign));
		const by = this.#by === undefined ? "" : theme.fg("dim", ` (${oneLine(this.#by, limits.lineChars)})`);
		const typed = ` ${mark} ${theme.fg("text", this.#command)}`;
		// Who runs it is not cut off by what is run.
		const end = by + this.#how(theme);
		const shown = by === "" ? typed : truncateToWidth(typed, Math.max(0, width - visibleWidth(end)));
		return [truncateToWidth(shown + end, width), ...this.#outputRows(width, theme)];
	}

	#how(theme: Theme): string {
		const end = this.#end;
		const { animation } = this.view;
		if (end === undefined)
			return ` ${theme.fg("accent", animation.spinner)} ${theme.fg("dim", elapsed(animation.now() - this.#startedAt))}`;
		const time =
			end.tookMs !== undefined && end.tookMs >= limits.shownDurationMs
				? theme.fg("dim", ` ${duration(end.tookMs)}`)
				: "";
		if (end.cancelled) return theme.fg("warning", " stopped") + time;
		if (end.exitCode !== 0) return theme.fg("error", ` exit ${end.exitCode ?? "?"}`) + time;
		return time;
	}

	/** More output is shown than for a tool, because the user asked for it. */
	#outputRows(width: number, theme: Theme): string[] {
		const text = stripControls(this.#output).trimEnd();
		if (text === "") return [];
		const inner = Math.max(1, width - 3);
		const all = text.split("\n");
		const most = this.view.expandTools ? limits.resultLines : limits.userCommandLines;
		const kept = all.slice(-most);
		const more = all.length - kept.length;
		const note =
			more > 0 ? [theme.fg("dim", truncateToWidth(`   … ${plural(more, "earlier line")}`, width))] : [];
		const rows = kept.flatMap((line) => wrapTextWithAnsi(line, inner));
		return [
			...note,
			...rows.map((row) => `   ${theme.fg("toolOutput", row)}`),
			...this.#cutRows(width, theme),
		];
	}

	#cutRows(width: number, theme: Theme): string[] {
		const { truncated, fullOutputPath: path } = this.#end ?? {};
		if (!truncated) return [];
		const all = path === undefined ? "" : `; all of it is in ${oneLine(path, limits.lineChars)}`;
		const rows = wrapTextWithAnsi(`The output was truncated${all}`, Math.max(1, width - 3));
		return rows.map((row) => `   ${theme.fg("warning", row)}`);
	}
}
