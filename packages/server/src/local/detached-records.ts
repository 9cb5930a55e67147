/** Sessions that run, or ran, without a terminal: listed until the user ends them, also after a crash or a restart of the machine. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { dirs, isRecord, log, privateDirectory } from "@tau/utils";

import { limits } from "./limits.ts";

export interface DetachedRecord {
	readonly sessionId: string;
	readonly sessionFile: string;
	readonly cwd: string;
	readonly title: string;
	/** US dollars */
	readonly cost: number;
	/** When it did something last. */
	readonly lastAt: number;
	/** How its last run ended; absent before. */
	readonly end?: RunEnd;
}

export interface RunEnd {
	readonly outcome: "answered" | "failed" | "stopped";
	readonly reason?: string;
}

/** A failure costs a row of `tau ps`. */
export function rememberDetached(record: DetachedRecord): void {
	try {
		const file = fileOf(record.sessionId, privateDirectory(directory()));
		writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
		renameSync(`${file}.new`, file);
	} catch (error) {
		log.warn("a detached session was not recorded", { reason: String(error) });
	}
}

export function forgetDetached(sessionId: string): void {
	rmSync(fileOf(sessionId), { force: true });
}

/** Oldest first. Those whose file is gone, and those that nobody came back to for long, are forgotten. */
export function detachedRecords(): DetachedRecord[] {
	const oldest = Date.now() - limits.detachedDays * 24 * 60 * 60 * 1000;
	return namesIn(directory())
		.map((name) => read(join(directory(), name)))
		.filter((record) => record !== undefined)
		.filter((record) => {
			if (record.lastAt >= oldest && existsSync(record.sessionFile)) return true;
			forgetDetached(record.sessionId);
			return false;
		})
		.toSorted((a, b) => a.lastAt - b.lastAt);
}

function directory(): string {
	return join(dirs().state, "detached");
}

/** An id that the user has chosen may have other characters. */
function fileOf(sessionId: string, folder: string = directory()): string {
	return join(folder, `${sessionId.replaceAll(/[^\w.-]/g, "_")}.json`);
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder).filter((name) => name.endsWith(".json"));
	} catch {
		// No session was detached yet.
		return [];
	}
}

function read(file: string): DetachedRecord | undefined {
	try {
		if (statSync(file).size > limits.registrationBytes) return undefined;
		const value: unknown = JSON.parse(readFileSync(file, "utf8"));
		if (!isRecord(value)) return undefined;
		const { sessionId, sessionFile, cwd, title, cost, lastAt } = value;
		if (typeof cost !== "number" || typeof lastAt !== "number") return undefined;
		if (typeof sessionId !== "string" || typeof sessionFile !== "string") return undefined;
		if (typeof cwd !== "string" || typeof title !== "string") return undefined;
		const end = readEnd(value.end);
		return { sessionId, sessionFile, cwd, title, cost, lastAt, ...(end && { end }) };
	} catch {
		// It was removed meanwhile, or torn by a crash: then it is a row less.
		return undefined;
	}
}

function readEnd(value: unknown): RunEnd | undefined {
	if (!isRecord(value)) return undefined;
	const { outcome, reason } = value;
	if (outcome !== "answered" && outcome !== "failed" && outcome !== "stopped") return undefined;
	return typeof reason === "string" ? { outcome, reason } : { outcome };
}
