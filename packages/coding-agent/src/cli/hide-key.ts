/** Overwrites the key of `--api-key` in the command line of this process, which every user of the machine can read. */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

import { log } from "@tau/utils";

const flag = "--api-key";

/** The index in the fields of /proc/self/stat, from the one after the program's name (proc_pid_stat(5), field 48). */
const argumentStart = 45;

/**
 * Only Linux lets a process change what `ps` shows, through its own memory; elsewhere this does nothing. Bun has copied
 * the arguments before any code runs. Until this call the key is visible, which docs/login.md documents.
 */
export function hideKey(argv: readonly string[]): void {
	if (process.platform !== "linux" || !argv.some((word) => word.startsWith(flag))) return;
	try {
		overwrite(keySpans(readFileSync("/proc/self/cmdline")));
	} catch (error) {
		log.warn("the key cannot be removed from the command line of the process", { reason: String(error) });
	}
}

interface Span {
	start: number;
	length: number;
}

/** Returns the positions of the keys in the arguments, each of which ends with a NUL. */
function keySpans(shown: Buffer): Span[] {
	const spans: Span[] = [];
	let isNext = false;
	for (let start = 0; start < shown.length;) {
		const end = shown.indexOf(0, start);
		const length = (end < 0 ? shown.length : end) - start;
		const word = shown.toString("utf8", start, start + length);
		const skipped = word.startsWith(`${flag}=`) ? flag.length + 1 : isNext ? 0 : length;
		if (skipped < length) spans.push({ start: start + skipped, length: length - skipped });
		isNext = word === flag;
		start += length + 1;
	}
	return spans;
}

function overwrite(spans: readonly Span[]): void {
	const base = startOfArguments();
	const memory = openSync("/proc/self/mem", "r+");
	try {
		for (const { start, length } of spans)
			writeSync(memory, Buffer.alloc(length, "*"), 0, length, base + start);
	} finally {
		closeSync(memory);
	}
}

function startOfArguments(): number {
	const stat = readFileSync("/proc/self/stat", "latin1");
	const start = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[argumentStart]);
	if (!Number.isSafeInteger(start) || start <= 0)
		throw new Error("/proc/self/stat does not give their address");
	return start;
}
