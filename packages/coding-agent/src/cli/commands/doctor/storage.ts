/** Whether Tau can store sessions, settings and logs, and how to make it so. */
import { accessSync, constants, existsSync, mkdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";

import { directoryFix, dirs, errorCode, homeOf, shortenHome } from "@tau/utils";

import { limits } from "../../limits.ts";
import { firstLine, type Outcome } from "./problems.ts";

type Found = Outcome["problems"][number];

export function storage(): Outcome {
	const { agent, sessions, state, logs } = dirs();
	const unwritable = [agent, sessions, state, logs].flatMap((directory): Found[] => {
		try {
			mkdirSync(directory, { recursive: true, mode: 0o700 });
			accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
			return [];
		} catch (error) {
			const problem = `${shortenHome(directory)} cannot be written: ${firstLine(error)}`;
			return [{ problem, fix: storageFix(directory, error), severity: "error" }];
		}
	});
	// One cause, and one fix.
	const home = homeOf();
	const isHome = !mayWrite(home) && !existsSync(join(home, ".tau")) && unwritable.length > 0;
	if (isHome) return { about: "nothing can be saved", problems: [homeProblem(home)] };
	if (unwritable.length > 0) return { about: "not everything can be saved", problems: unwritable };
	const { bavail, bsize } = statfsSync(sessions);
	const free = bavail * bsize;
	const about = `${shortenHome(sessions)}, ${amount(free)} free`;
	if (free >= limits.doctorFreeBytes) return { about, problems: [] };
	const problem = `Only ${amount(free)} are free where sessions are stored, in ${shortenHome(sessions)}.`;
	const fix = "Free some space; tau sessions gc removes what no session uses.";
	return { about, problems: [{ problem, fix, severity: "warning" }] };
}

const amount = (bytes: number): string =>
	bytes < 2 ** 30 ? `${Math.floor(bytes / 2 ** 20)} MB` : `${Math.floor(bytes / 2 ** 30)} GB`;

function homeProblem(home: string): Found {
	return {
		problem: `Nothing is saved: HOME, ${home}, ${existsSync(home) ? "cannot be written" : "does not exist"}.`,
		fix: "Set HOME, or TAU_CONFIG_DIR, to a directory that you can write to.",
		severity: "error",
	};
}

function storageFix(directory: string, error: unknown): string {
	const code = errorCode(error);
	if (code === "ENOSPC") return "Free some space; tau sessions gc removes what no session uses.";
	if (code === "EROFS" || isMissing(directory))
		return `Create ${directory}, or set TAU_CONFIG_DIR to a directory that you can write to.`;
	return directoryFix(directory);
}

function isMissing(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false }) === undefined;
	} catch {
		// A directory above it cannot be entered.
		return false;
	}
}

function mayWrite(path: string): boolean {
	try {
		accessSync(path, constants.W_OK | constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
