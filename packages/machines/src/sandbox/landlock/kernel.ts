/** Calls of the Linux kernel that restrict this process: Landlock, seccomp and capabilities. */
import { dlopen, ptr } from "bun:ffi";

/** What is started, as a file that the launching program reads and deletes. */
export interface LandlockLaunch {
	readonly rules: LandlockRules;
	readonly cwd: string;
	readonly command: readonly string[];
}

/** What a command may do. */
export interface LandlockRules {
	/** Files and directories with everything below them. Paths are without links. */
	readonly readable: readonly string[];
	readonly writable: readonly string[];
	/** Devices and named pipes: opened for writing, and neither created nor removed. */
	readonly usable: readonly string[];
	readonly isOffline: boolean;
	/** The seccomp filter, in base64. */
	readonly filter: string;
}

const calls = { create: 444, addRule: 445, restrict: 446, openat2: 437, closeRange: 436 };
const wait4 = process.arch === "arm64" ? 260 : 61;
const capset = process.arch === "arm64" ? 91 : 126;

const rights = {
	execute: 1 << 0,
	writeFile: 1 << 1,
	readFile: 1 << 2,
	readDirectory: 1 << 3,
	/** Removing and creating entries, except devices: bits 4 to 12. */
	change: 0x1ff0 & ~((1 << 6) | (1 << 11)),
	makeDevices: (1 << 6) | (1 << 11),
	refer: 1 << 13,
	truncate: 1 << 14,
	ioctl: 1 << 15,
};
const reading = rights.execute | rights.readFile | rights.readDirectory;
const writing = reading | rights.writeFile | rights.change | rights.refer | rights.truncate;
const usingFiles = rights.readFile | rights.writeFile | rights.ioctl;
/** The rights that a rule on a file, and not on a directory, may name. */
const ofFiles = rights.execute | rights.writeFile | rights.readFile | rights.truncate | rights.ioctl;

/** Before this version (Linux 6.2) any file could be emptied. */
export const leastVersion = 3;
/** From this version (Linux 6.12) on, processes outside cannot be signaled. */
export const signalVersion = 6;

type Library = ReturnType<typeof open>;

function open(name: string) {
	const int = "i32" as const;
	const long = "i64" as const;
	return dlopen(name, {
		syscall: { args: [long, long, long, long, long, long], returns: long },
		prctl: { args: [int, long, long, long, long], returns: int },
		signal: { args: [int, "ptr"], returns: "ptr" },
		chdir: { args: ["ptr"], returns: int },
		execvp: { args: ["ptr", "ptr"], returns: int },
	}).symbols;
}

let library: Library | undefined;

function libc(): Library {
	if (library) return library;
	try {
		library = open("libc.so.6");
	} catch {
		library = open(`libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`);
	}
	return library;
}

function call(number: number, ...args: (number | bigint)[]): number {
	const [a = 0, b = 0, c = 0, d = 0, e = 0] = args;
	return Number(libc().syscall(number, a, b, c, d, e));
}

function check(result: number, step: string): number {
	if (result < 0) throw new Error(`Landlock: ${step} failed.`);
	return result;
}

/** The version of Landlock's interface that the kernel offers; 0 if it has none. */
export function landlockVersion(): number {
	if (process.platform !== "linux") return 0;
	try {
		return Math.max(0, call(calls.create, 0, 0, 1));
	} catch {
		// A C library that is not known.
		return 0;
	}
}

/** Restricts this thread, for good. */
export function restrict(rules: LandlockRules): void {
	const version = landlockVersion();
	if (version < leastVersion) throw new Error("The kernel has no Landlock that is good enough.");
	dropCapabilities();
	check(libc().prctl(prctls.noNewPrivileges, 1, 0, 0, 0), "no_new_privs");
	const handled = writing | rights.makeDevices | (version >= 5 ? rights.ioctl : 0);
	const net = version >= 4 && rules.isOffline ? 3n : 0n;
	const scoped = version >= signalVersion ? 3n : 0n;
	const attributes = new BigUint64Array([BigInt(handled), net, scoped]);
	const bytes = version >= 6 ? 24 : version >= 4 ? 16 : 8;
	const ruleset = check(call(calls.create, ptr(attributes), bytes, 0), "creating a ruleset");
	for (const path of rules.readable) addRule(ruleset, path, reading & handled);
	for (const path of rules.usable) addRule(ruleset, path, usingFiles & handled);
	for (const path of rules.writable) addRule(ruleset, path, writing & handled);
	check(call(calls.restrict, ruleset, 0), "restricting the process");
	installFilter(Buffer.from(rules.filter, "base64"));
}

/** A path that is gone, or has become a link, is skipped: nothing is allowed there. */
function addRule(ruleset: number, path: string, allowed: number): void {
	const pathOnly = 0x20_0000 | 0x8_0000;
	const noLinks = 4n;
	const how = new BigUint64Array([BigInt(pathOnly), 0n, noLinks]);
	const name = text(path);
	const file = call(calls.openat2, -100, ptr(name), ptr(how), 24);
	if (file < 0) return;
	const rule = new DataView(new ArrayBuffer(12));
	rule.setInt32(8, file, true);
	const add = (mask: number): number => {
		rule.setBigUint64(0, BigInt(mask), true);
		return call(calls.addRule, ruleset, 1, ptr(rule), 0);
	};
	// Refused for what is not a directory, with rights that only directories have.
	if (add(allowed) < 0) check(add(allowed & ofFiles), `a rule for ${path}`);
}

const prctls = { seccomp: 22, dropBound: 24, subreaper: 36, noNewPrivileges: 38, ambient: 47 };
/** More than there are: the kernel refuses numbers that it does not know. */
const capabilities = 64;

/** For the administrator: without them, root is a user who owns many files. Others have none. */
function dropCapabilities(): void {
	const { prctl } = libc();
	prctl(prctls.ambient, 4, 0, 0, 0);
	for (let number = 0; number < capabilities; number++) prctl(prctls.dropBound, number, 0, 0, 0);
	const header = new Uint32Array([0x2008_0522, 0]);
	check(call(capset, ptr(header), ptr(new Uint32Array(6))), "dropping capabilities");
}

function installFilter(filter: Uint8Array): void {
	const program = new DataView(new ArrayBuffer(16));
	program.setUint16(0, filter.length / 8, true);
	program.setBigUint64(8, BigInt(ptr(filter)), true);
	check(libc().prctl(prctls.seccomp, 2, ptr(program), 0, 0), "the filter of system calls");
}

/** Signals that Bun ignores, and that programs expect to end them: SIGPIPE and SIGXFSZ. */
const ignoredSignals = [13, 25];

/** From now on processes whose parents have ended become children of this one, which can find them. */
export function adoptOrphans(): void {
	check(libc().prctl(prctls.subreaper, 1, 0, 0, 0), "adopting orphans");
}

/** Forgets a child that has ended. */
export function reap(pid: number): void {
	const atOnce = 1;
	call(wait4, pid, 0, atOnce, 0);
}

/** Continues as another program; returns only if that failed. */
export function execute({ command, cwd }: Omit<LandlockLaunch, "rules">): void {
	const { signal, chdir, execvp, prctl } = libc();
	for (const number of ignoredSignals) signal(number, null);
	// Processes that leave their parents stay below the shell, where they are found and ended.
	prctl(prctls.subreaper, 1, 0, 0, 0);
	// Standard streams, the pipe of the shell's reports and one file are passed on.
	call(calls.closeRange, 5, 0xffff_ffff, 4);
	if (chdir(text(cwd)) < 0) throw new Error(`The directory ${cwd} cannot be entered.`);
	const words = command.map(text);
	const list = new BigUint64Array([...words.map((word) => BigInt(ptr(word))), 0n]);
	execvp(words[0] ?? text(""), list);
}

function text(value: string): Buffer {
	return Buffer.from(`${value}\0`);
}
