/** Builds the seccomp filter of a sandbox: a BPF program for the kernel, as the bytes that bubblewrap loads. */

/** What the filter refuses besides what no command needs. */
export interface SeccompOptions {
	/** Refuses sockets that reach other machines, where the sandbox has no network of its own. */
	readonly network: boolean;
	/** Refuses Unix sockets: those of services on this machine would lead out of the sandbox. */
	readonly unixSockets: boolean;
	/** Refuses limits for other processes, where those of the machine are visible: one on processor time ends a program. */
	readonly otherProcesses?: boolean;
}

type Architecture = "x64" | "arm64";

const audit: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** System calls by name: the number on x64, and on arm64 (absent where it does not exist). */
const calls = {
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
	open_tree_attr: [467, 467],
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
} as const satisfies Record<string, readonly number[]>;

/** Judged by an argument. */
const special = {
	clone: [56, 220],
	clone3: [435, 435],
	unshare: [272, 97],
	ioctl: [16, 29],
	socket: [41, 198],
	socketpair: [53, 199],
	prlimit64: [302, 261],
} as const;

/** Calls that set the mode of a file, in which argument, and where those that may create one have their flags. */
const modeCalls: readonly (readonly [x64: number, arm64: number, mode: number, flags?: number])[] = [
	[90, 0, 1], // chmod, which arm64 does not have
	[91, 52, 1], // fchmod
	[268, 53, 2], // fchmodat
	[452, 452, 2], // fchmodat2
	[133, 0, 1], // mknod
	[259, 33, 2], // mknodat
	[85, 0, 1], // creat
	[2, 0, 2, 1], // open
	[257, 56, 3, 2], // openat
];
/** A program with this bit in the project would run with the user's rights for whoever starts it, outside. */
const setuid = 0o4000;
/** O_CREAT and O_TMPFILE. */
const creating = 0x400040;
/** Its mode is behind a pointer; programs then use openat. */
const openat2 = 437;

const errno = { EPERM: 1, ENOSYS: 38 };
/** All `CLONE_NEW…` flags. */
const newNamespaces = 0x7e020080;
/** `ioctl` requests that type into a terminal: TIOCSTI and TIOCLINUX. */
const typingRequests = [0x5412, 0x541c];
/** Set in the types of sockets that send to any address although they are one of a pair: SOCK_DGRAM and SOCK_RAW. */
const datagramBit = 0x2;
const families = { unix: 1, inet: 2, inet6: 10, netlink: 16 };

/** The parts of `struct seccomp_data`. */
const callField = 0;
const architectureField = 4;
const argumentField = (index: number): number => 16 + index * 8;

/** Operations of the classic BPF that seccomp accepts. */
const load = 0x20;
const jumpEqual = 0x15;
const jumpGreaterOrEqual = 0x35;
const jumpSet = 0x45;
const done = 0x06;
const allow = 0x7fff0000;
const refuse = (code: number): number => 0x00050000 | code;
const kill = 0x80000000;
/** Numbers above this one are the x32 calls, which would get around the table. */
const x32Calls = 0x40000000;

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];

/** Undefined on a processor that is not known: then there is no filter. */
export function seccompFilter(
	options: SeccompOptions,
	architecture: string = process.arch,
): Uint8Array | undefined {
	if (architecture !== "x64" && architecture !== "arm64") return undefined;
	return bytesOf(program(options, architecture));
}

function program(options: SeccompOptions, architecture: Architecture): Instruction[] {
	const at = architecture === "x64" ? 0 : 1;
	const whole = Object.values<readonly (number | undefined)[]>(calls).flatMap((numbers) => numbers[at] ?? []);
	const number = (name: keyof typeof special): number => special[name][at];
	return [
		[load, 0, 0, architectureField],
		[jumpEqual, 1, 0, audit[architecture]],
		[done, 0, 0, kill],
		[load, 0, 0, callField],
		...(architecture === "x64" ? refuseIf([jumpGreaterOrEqual, 0, 0, x32Calls], errno.ENOSYS) : []),
		...whole.flatMap((call) => refuseIf([jumpEqual, 0, 0, call], errno.EPERM)),
		// Its flags are behind a pointer, which a filter cannot follow; libraries then use clone.
		...refuseIf([jumpEqual, 0, 0, number("clone3")], errno.ENOSYS),
		...judged(number("clone"), 0, refuseIf([jumpSet, 0, 0, newNamespaces], errno.EPERM)),
		...judged(number("unshare"), 0, refuseIf([jumpSet, 0, 0, newNamespaces], errno.EPERM)),
		...judged(
			number("ioctl"),
			1,
			typingRequests.flatMap((request) => refuseIf([jumpEqual, 0, 0, request], errno.EPERM)),
		),
		...refuseIf([jumpEqual, 0, 0, openat2], errno.ENOSYS),
		...modeCalls.flatMap(([x64, arm64, ...rest]) => modeRules(at === 0 ? x64 : arm64, ...rest)),
		...judged(number("socket"), 0, familyRules(options)),
		...(options.otherProcesses === true ? judged(number("prlimit64"), 0, ownProcess) : []),
		...judged(
			number("socketpair"),
			1,
			options.unixSockets ? refuseIf([jumpSet, 0, 0, datagramBit], errno.EPERM) : [],
		),
		[done, 0, 0, allow],
	];
}

/** Only the families that are named here exist inside: there are forty others, each with a history. */
function familyRules({ network, unixSockets }: SeccompOptions): Instruction[] {
	const known = [
		...(unixSockets ? [] : [families.unix]),
		...(network ? [] : [families.inet, families.inet6, families.netlink]),
	];
	return [
		...known.flatMap((family): Instruction[] => [
			[jumpEqual, 0, 1, family],
			[done, 0, 0, allow],
		]),
		[done, 0, 0, refuse(errno.EPERM)],
	];
}

/** A process names itself with 0. */
const ownProcess: readonly Instruction[] = [
	[jumpEqual, 1, 0, 0],
	[done, 0, 0, refuse(errno.EPERM)],
];

function modeRules(call: number, mode: number, flags?: number): Instruction[] {
	if (call === 0) return [];
	const refusal = refuseIf([jumpSet, 0, 0, setuid], errno.EPERM);
	if (flags === undefined) return judged(call, mode, refusal);
	const creates: Instruction = [jumpSet, 0, refusal.length + 1, creating];
	return judged(call, flags, [creates, [load, 0, 0, argumentField(mode)], ...refusal]);
}

/** Runs the rules for one call on one argument, and continues with the number of the call otherwise. */
function judged(call: number, argument: number, rules: readonly Instruction[]): Instruction[] {
	return [
		[jumpEqual, 0, rules.length + 2, call],
		[load, 0, 0, argumentField(argument)],
		...rules,
		[load, 0, 0, callField],
	];
}

function refuseIf([code, , , value]: Instruction, reason: number): Instruction[] {
	return [
		[code, 0, 1, value],
		[done, 0, 0, refuse(reason)],
	];
}

function bytesOf(instructions: readonly Instruction[]): Uint8Array {
	const bytes = new DataView(new ArrayBuffer(instructions.length * 8));
	for (const [index, [code, whenTrue, whenFalse, value]] of instructions.entries()) {
		bytes.setUint16(index * 8, code, true);
		bytes.setUint8(index * 8 + 2, whenTrue);
		bytes.setUint8(index * 8 + 3, whenFalse);
		bytes.setUint32(index * 8 + 4, value, true);
	}
	return new Uint8Array(bytes.buffer);
}
