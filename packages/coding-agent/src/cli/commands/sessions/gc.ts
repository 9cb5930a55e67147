/** `tau sessions gc`: removes files that no session references any more, and reports the freed space. */
import { resolve } from "node:path";

import { dirs, expandHome } from "@tau/utils";
import { collectGarbage, type GcReport } from "@tau/log";
import { allSessionsFactor, trimAll } from "@tau/log/journal";

import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import { loadSettings } from "../../launch/load-settings.ts";
import { bytes, isJson, jsonLine, printed } from "./output.ts";

export async function runGc(args: Args): Promise<number> {
	const isDryRun = args.flags.has("dry-run");
	const { data, cache, sessions } = dirs();
	const settings = await loadSettings(args);
	// Both: a directory for this run does not make that of the settings one without sessions.
	const directories = [args.flags.get("session-dir"), settings.get("sessionDir")].flatMap((directory) =>
		directory === undefined ? [] : [resolve(expandHome(directory))],
	);
	const report = await collectGarbage({ data, cache, directories, isDryRun });
	const rewind = await trimAll(sessions, settings.get("rewind.maxBytes") * allSessionsFactor, isDryRun);
	const code = await printed(
		isJson(args)
			? jsonLine({ dryRun: isDryRun, ...report, rewindBytes: rewind })
			: formatReport(report, isDryRun, rewind),
	);
	return code === exitCodes.answered && report.obstacles.length > 0 ? exitCodes.failed : code;
}

function formatReport(
	{ blobs, outputs, unfinished, indexRows, young, obstacles }: GcReport,
	isDryRun: boolean,
	rewind: number,
): string {
	const parts = [
		rewind === 0 ? undefined : "contents for /rewind",
		counted(blobs.count, "image", "images"),
		counted(outputs.count, "output directory", "output directories"),
		counted(unfinished.count, "incomplete file", "incomplete files"),
		counted(indexRows, "index row", "index rows"),
	].flatMap((part) => part ?? []);
	const size = bytes(blobs.bytes + outputs.bytes + unfinished.bytes + rewind);
	const lines = [
		parts.length === 0
			? "Nothing to remove."
			: `${isDryRun ? "Would remove" : "Removed"} ${parts.join(", ")}: ${size}.`,
	];
	if (young > 0) lines.push(`Skipped: ${counted(young, "image", "images")}, too recent to remove safely.`);
	for (const obstacle of obstacles) lines.push(`Could not check everything: ${obstacle}`);
	return lines.map((line) => `${line}\n`).join("");
}

function counted(count: number, one: string, many: string): string | undefined {
	return count === 0 ? undefined : `${count} ${count === 1 ? one : many}`;
}
