/** The filter of system calls, run here as the kernel would run it, for both processors. */
import { describe, expect, test } from "bun:test";

import { seccompFilter, type SeccompOptions } from "./seccomp.ts";

/** From the headers of Linux 6.1 (asm/unistd_64.h, asm-generic/unistd.h), and not from the filter's own table. */
const dangerous: Readonly<Record<string, readonly [x64: number, arm64?: number]>> = {
	ptrace: [101, 117],
	process_vm_readv: [310, 270],
	process_vm_writev: [311, 271],
	process_madvise: [440, 440],
	pidfd_getfd: [438, 438],
	kcmp: [312, 272],
	add_key: [248, 217],
	request_key: [249, 218],
	keyctl: [250, 219],
	bpf: [321, 280],
	perf_event_open: [298, 241],
	userfaultfd: [323, 282],
	mount: [165, 40],
	umount2: [166, 39],
	pivot_root: [155, 41],
	chroot: [161, 51],
	move_mount: [429, 429],
	open_tree: [428, 428],
	fsopen: [430, 430],
	fsconfig: [431, 431],
	fsmount: [432, 432],
	fspick: [433, 433],
	mount_setattr: [442, 442],
	setns: [308, 268],
	kexec_load: [246, 104],
	kexec_file_load: [320, 294],
	init_module: [175, 105],
	finit_module: [313, 273],
	delete_module: [176, 106],
	create_module: [174],
	reboot: [169, 142],
	swapon: [167, 224],
	swapoff: [168, 225],
	acct: [163, 89],
	quotactl: [179, 60],
	quotactl_fd: [443, 443],
	syslog: [103, 116],
	settimeofday: [164, 170],
	clock_settime: [227, 112],
	clock_adjtime: [305, 266],
	adjtimex: [159, 171],
	sethostname: [170, 161],
	setdomainname: [171, 162],
	iopl: [172],
	ioperm: [173],
	modify_ldt: [154],
	uselib: [134],
	open_by_handle_at: [304, 265],
	lookup_dcookie: [212, 18],
	fanotify_init: [300, 262],
	io_uring_setup: [425, 425],
	io_uring_enter: [426, 426],
	io_uring_register: [427, 427],
};
const ordinary: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
	read: [0, 63],
	write: [1, 64],
	openat: [257, 56],
	execve: [59, 221],
	futex: [202, 98],
	mmap: [9, 222],
	connect: [42, 203],
	bind: [49, 200],
	wait4: [61, 260],
	getrandom: [318, 278],
	fchmodat: [268, 53],
	rt_sigaction: [13, 134],
	clock_nanosleep: [230, 115],
	prctl: [157, 167],
};
const judged = {
	clone: [56, 220],
	clone3: [435, 435],
	unshare: [272, 97],
	ioctl: [16, 29],
	socket: [41, 198],
	socketpair: [53, 199],
} as const;

const architectures = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
type Architecture = keyof typeof architectures;

const closed: SeccompOptions = { network: true, unixSockets: true };

/** What the kernel does with a call: an error number, `allow` or `kill`. */
function verdict(
	architecture: Architecture,
	call: number,
	args: readonly number[] = [],
	{
		options = closed,
		audit = architectures[architecture],
	}: { options?: SeccompOptions; audit?: number } = {},
): number | "allow" | "kill" {
	const bytes = seccompFilter(options, architecture);
	if (!bytes) throw new Error("There is no filter.");
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const data = new DataView(new ArrayBuffer(64));
	data.setUint32(0, call, true);
	data.setUint32(4, audit, true);
	for (const [index, value] of args.entries()) data.setUint32(16 + index * 8, value, true);
	let loaded = 0;
	for (let at = 0; at < view.byteLength / 8; at++) {
		const code = view.getUint16(at * 8, true);
		const [yes, no] = [view.getUint8(at * 8 + 2), view.getUint8(at * 8 + 3)];
		const value = view.getUint32(at * 8 + 4, true);
		if (code === 0x20) loaded = data.getUint32(value, true);
		else if (code === 0x15) at += loaded === value ? yes : no;
		else if (code === 0x35) at += loaded >= value ? yes : no;
		else if (code === 0x45) at += (loaded & value) !== 0 ? yes : no;
		else if (code !== 0x06) throw new Error(`An operation that is not expected: ${code}`);
		else if (value === 0x7fff0000) return "allow";
		else return value === 0x80000000 ? "kill" : value & 0xffff;
	}
	throw new Error("The program has no end.");
}

const [EPERM, ENOSYS] = [1, 38];

describe.each(["x64", "arm64"] as const)("on %s", (architecture) => {
	const at = architecture === "x64" ? 0 : 1;
	const numberOf = (name: keyof typeof judged): number => judged[name][at];

	test("calls that no command needs are refused, ordinary ones are not", () => {
		const verdicts = Object.entries(dangerous).flatMap(([name, numbers]): [string, unknown][] => {
			const number = numbers[at];
			return number === undefined ? [] : [[name, verdict(architecture, number)]];
		});
		expect(verdicts).toEqual(verdicts.map(([name]) => [name, EPERM]));
		for (const numbers of Object.values(ordinary)) expect(verdict(architecture, numbers[at])).toBe("allow");
	});

	test("nothing else is refused", () => {
		const expected = new Set(Object.values(dangerous).map((numbers) => numbers[at]));
		const refused = Array.from({ length: 467 }, (_, call) => call).filter(
			(call) => verdict(architecture, call) === EPERM && !expected.has(call),
		);
		// Without arguments these two are of no family.
		expect(refused).toEqual([numberOf("socket")]);
	});

	test("a new namespace, typing into a terminal and sockets that lead out are refused by their arguments", () => {
		const judge = (name: keyof typeof judged, ...args: number[]): unknown =>
			verdict(architecture, numberOf(name), args);
		const [newUser, fork, typing, size] = [0x10000000, 0x01200011, 0x5412, 0x5413];
		expect([judge("clone", newUser), judge("clone", fork)]).toEqual([EPERM, "allow"]);
		expect([judge("unshare", 0x20000), judge("unshare", 0x400)]).toEqual([EPERM, "allow"]);
		expect(judge("clone3", 0)).toBe(ENOSYS);
		expect([judge("ioctl", 0, typing), judge("ioctl", 0, 0x541c), judge("ioctl", 0, size)]).toEqual([
			EPERM,
			EPERM,
			"allow",
		]);
		expect([1, 2, 10, 16, 17, 40].map((family) => judge("socket", family))).toEqual(Array(6).fill(EPERM));
		expect([judge("socketpair", 1, 1), judge("socketpair", 1, 2)]).toEqual(["allow", EPERM]);
		const open = { network: false, unixSockets: false };
		const opened = (family: number): unknown =>
			verdict(architecture, numberOf("socket"), [family], { options: open });
		expect([1, 2, 10, 16].map(opened)).toEqual(Array(4).fill("allow"));
		expect([17, 38, 40].map(opened)).toEqual(Array(3).fill(EPERM));
	});

	test("no file can be made a program that runs with its owner's rights", () => {
		const modes: Readonly<
			Record<string, readonly [numbers: readonly [number?, number?], ...before: number[]]>
		> = {
			chmod: [[90], 0],
			fchmod: [[91, 52], 0],
			fchmodat: [[268, 53], 0, 0],
			fchmodat2: [[452, 452], 0, 0],
			mknod: [[133], 0],
			mknodat: [[259, 33], 0, 0],
			creat: [[85], 0],
			"open to create": [[2], 0, 0x41],
			"openat to create": [[257, 56], 0, 0, 0x41],
			"openat without a name": [[257, 56], 0, 0, 0x410002],
		};
		for (const [name, [numbers, ...before]] of Object.entries(modes)) {
			const number = numbers[at];
			if (number === undefined) continue;
			const judge = (mode: number): unknown => verdict(architecture, number, [...before, mode]);
			expect([name, judge(0o4755), judge(0o755), judge(0o2775)]).toEqual([name, EPERM, "allow", "allow"]);
		}
		// Without a file to create, the argument is left over from something else.
		expect(verdict(architecture, architecture === "x64" ? 257 : 56, [0, 0, 2, 0o4755])).toBe("allow");
		expect(verdict(architecture, 437)).toBe(ENOSYS);
	});

	test("where other processes are visible, limits are set for the own one alone", () => {
		const [prlimit, options] = [architecture === "x64" ? 302 : 261, { ...closed, otherProcesses: true }];
		const judge = (pid: number): unknown => verdict(architecture, prlimit, [pid], { options });
		expect([judge(0), judge(1234)]).toEqual(["allow", EPERM]);
		expect(verdict(architecture, prlimit, [1234])).toBe("allow");
		expect(verdict(architecture, numberOf("socket"), [1], { options })).toBe(EPERM);
	});

	test("a program for another processor is killed", () => {
		const audit = architectures[architecture === "x64" ? "arm64" : "x64"];
		expect(verdict(architecture, 0, [], { audit })).toBe("kill");
		expect(verdict(architecture, 0, [], { audit: 0x40000003 })).toBe("kill");
	});
});

test("calls of the x32 interface are refused on x64; there is no filter for other processors", () => {
	expect(verdict("x64", 0x40000000 + 101)).toBe(ENOSYS);
	expect(seccompFilter(closed, "riscv64")).toBeUndefined();
});
