/**
 * Keeps keys from other processes of the same user, such as commands of a model: they can read the command line, the
 * initial environment, the memory and the core dump of this process.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

import { isProviderKey, log } from "@tau/utils";

const flag = "--api-key";

/** Indices in the fields of /proc/self/stat, from the one after the program's name (proc_pid_stat(5), fields 48, 50). */
const argumentStart = 45;
const environmentStart = 47;

/**
 * Only Linux lets a process change what others see of it, through its own memory; elsewhere this does nothing. Bun has
 * copied the arguments before any code runs. Until this call the keys are visible, which docs/login.md documents.
 */
export function hideKeys(argv: readonly string[]): void {
	if (process.platform !== "linux") return;
	try {
		if (argv.some((word) => word.startsWith(flag)))
			overwrite(argumentStart, "*", argumentKeys(readFileSync("/proc/self/cmdline")));
		if (Object.keys(process.env).some(isProviderKey)) hideEnvironment();
	} catch (error) {
		log.warn("keys cannot be hidden from other processes", { reason: String(error) });
	}
}

/** A command that runs as root can read the environment of any process: there, overwriting is the only protection. */
function hideEnvironment(): void {
	const keys = environmentKeys(readFileSync("/proc/self/environ"));
	// Bun reads a variable from this memory at its first use; an assigned one is stored elsewhere.
	for (const { name } of keys) process.env[name] = String(process.env[name] ?? "");
	overwrite(environmentStart, "\0", keys);
}

interface Span {
	start: number;
	length: number;
}

/** The positions of the keys in the arguments, each of which ends with a NUL. */
function argumentKeys(shown: Buffer): Span[] {
	const spans: Span[] = [];
	let isNext = false;
	for (const { text, start, length } of words(shown)) {
		const skipped = text.startsWith(`${flag}=`) ? flag.length + 1 : isNext ? 0 : length;
		if (skipped < length) spans.push({ start: start + skipped, length: length - skipped });
		isNext = text === flag;
	}
	return spans;
}

/** The names of the variables with keys, and the positions of their values. */
function environmentKeys(shown: Buffer): (Span & { name: string })[] {
	return words(shown).flatMap(({ text, start, length }) => {
		const name = text.slice(0, Math.max(text.indexOf("="), 0));
		const skipped = Buffer.byteLength(name) + 1;
		return isProviderKey(name) ? [{ name, start: start + skipped, length: length - skipped }] : [];
	});
}

function words(shown: Buffer): (Span & { text: string })[] {
	const found: (Span & { text: string })[] = [];
	for (let start = 0; start < shown.length;) {
		const end = shown.indexOf(0, start);
		const length = (end < 0 ? shown.length : end) - start;
		found.push({ text: shown.toString("utf8", start, start + length), start, length });
		start += length + 1;
	}
	return found;
}

function overwrite(field: number, character: string, spans: readonly Span[]): void {
	const stat = readFileSync("/proc/self/stat", "latin1");
	const base = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[field]);
	if (!Number.isSafeInteger(base) || base <= 0)
		throw new Error("/proc/self/stat does not give their address");
	const memory = openSync("/proc/self/mem", "r+");
	try {
		for (const { start, length } of spans)
			writeSync(memory, Buffer.alloc(length, character), 0, length, base + start);
	} finally {
		closeSync(memory);
	}
}

const setDumpable = 4;
const coreLimit = 4;

/**
 * No core dump, and on Linux no access to the memory for other processes, except those of root. Commands inherit the
 * limit, but not its maximum: `ulimit -c unlimited` lifts it for them.
 */
export async function closeMemory(): Promise<void> {
	if (process.platform === "win32") return;
	const isLinux = process.platform === "linux";
	try {
		const { dlopen } = await import("bun:ffi");
		const limit = { args: ["int", "buffer"], returns: "int" } as const;
		const prctl = { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" } as const;
		using library = disposable(
			dlopen(isLinux ? "libc.so.6" : "libSystem.B.dylib", { getrlimit: limit, setrlimit: limit }),
		);
		// The limit in force, and the highest one that may be set.
		const limits = new BigUint64Array(2);
		if (library.symbols.getrlimit(coreLimit, limits) === 0) {
			limits[0] = 0n;
			library.symbols.setrlimit(coreLimit, limits);
		}
		if (!isLinux) return;
		using linux = disposable(dlopen("libc.so.6", { prctl }));
		linux.symbols.prctl(setDumpable, 0n, 0n, 0n, 0n);
	} catch (error) {
		// Another C library: keys are hidden less well.
		log.debug("the memory of the process stays readable", { reason: String(error) });
	}
}

function disposable<T extends { close(): void }>(library: T): T & Disposable {
	return Object.assign(library, { [Symbol.dispose]: () => library.close() });
}
