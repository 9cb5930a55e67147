/** `tau stats`: what all sessions cost, as text, as data, and as a page of `tau web`. */
import {
	csvOf,
	dashboardStats,
	divisions,
	rangeOf,
	Stats,
	summaryLines,
	tableBy,
	tableJson,
	tableLines,
	type Range,
	type SyncProgress,
	type TableDivision,
} from "@tau/stats";
import { expandHome, ownWrite, plural, UsageError } from "@tau/utils";
import { cut } from "@tau/utils/text-table";

import type { Args } from "../args.ts";
import { loadSettings } from "../launch/load-settings.ts";
import { printError } from "../print-error.ts";
import { onInterrupt } from "../signals.ts";
import { bytes, isJson, jsonLine, lineWidth, printed } from "./sessions/output.ts";

export async function runStats(args: Args): Promise<number> {
	const request = requestIn(args);
	using interruption = onInterrupt();
	using stats = Stats.ofUser(printError, await otherDirectories(args));
	try {
		const code = await show(request, stats, interruption.signal);
		return request.isPage ? await showPage(args, request, interruption.signal) : code;
	} catch (error) {
		if (interruption.exitCode !== undefined) return interruption.exitCode;
		throw error;
	}
}

interface StatsRequest {
	range: Range;
	/** How the user wrote it. */
	since: string;
	by: TableDivision | undefined;
	as: "text" | "json" | "csv";
	/** Whether the page is opened, too: in a terminal, unless the user wants text. */
	isPage: boolean;
}

function requestIn(args: Args): StatsRequest {
	const since = args.flags.get("since") ?? "all";
	const range = rangeOf(since);
	if (!range)
		throw new UsageError(`--since ${since}: write 24h, 7d, 4w, today, all, or a day such as 2026-11-01.`);
	const by = divisions.find((name) => name === args.flags.get("by"));
	const as = args.flags.has("csv") ? "csv" : isJson(args) || args.flags.has("json") ? "json" : "text";
	const isText = as !== "text" || by !== undefined || args.flags.has("summary");
	return { range, since, by, as, isPage: process.stdout.isTTY && !isText };
}

/** The index has just been brought up to date, so the page shows everything at once. */
async function showPage(args: Args, { since }: StatsRequest, signal: AbortSignal): Promise<number> {
	const { linkText, openPage } = await import("./web.ts");
	const { link, isOpened } = await openPage(args, signal, `stats/${since}`);
	return await printed(`\n${linkText(link, isOpened)}`);
}

async function show(
	{ range, since, by, as }: StatsRequest,
	stats: Stats,
	signal: AbortSignal,
): Promise<number> {
	using progress = new ProgressLine();
	const { processed, files } = await stats.sync({ signal, onProgress: (now) => progress.show(now) });
	progress[Symbol.dispose]();
	const { database } = stats;
	if (as === "csv") return await printed(csvOf(tableBy(database, range, by ?? "day")));
	if (as === "json")
		return await printed(jsonLine(by ? tableJson(database, range, by) : dashboardStats(database, range)));
	if (by) return await printed(fitted(tableLines(database, range, by)));
	const found = `Synced ${plural(processed, "new entry", "new entries")} from ${plural(files, "file")} (${stats.count().toLocaleString("en-US")} total)`;
	return await printed(`${found}\n\n${fitted(summaryLines(database, range, since))}`);
}

/** Sessions that are not where they are by default. */
async function otherDirectories(args: Args): Promise<string[]> {
	const settings = await loadSettings(args);
	const named = [args.flags.get("session-dir"), settings.get("sessionDir")];
	return named.flatMap((path) => (path === undefined ? [] : [expandHome(path)]));
}

function fitted(lines: readonly string[]): string {
	const width = lineWidth();
	return `${lines.map((line) => cut(line, width)).join("\n")}\n`;
}

const drawnPerSecond = 30;

/** One line on standard error that is drawn over, in a terminal only. */
class ProgressLine implements Disposable {
	#drawnAt = 0;

	show({ files, allFiles, bytes: done, allBytes }: SyncProgress): void {
		const now = performance.now();
		if (!process.stderr.isTTY || now - this.#drawnAt < 1000 / drawnPerSecond) return;
		this.#drawnAt = now;
		const share = allBytes === 0 ? 1 : done / allBytes;
		const bar = "█".repeat(Math.round(share * 20)).padEnd(20, "░");
		this.#write(
			`${bar} ${Math.round(share * 100)} %  ${bytes(done)} of ${bytes(allBytes)}, ${files} of ${plural(allFiles, "file")}`,
		);
	}

	[Symbol.dispose](): void {
		if (this.#drawnAt > 0) this.#write("");
		this.#drawnAt = 0;
	}

	#write(text: string): void {
		ownWrite(process.stderr)(`\r\u001B[K${text}`);
	}
}
