/** Ways out of a sandbox that others have found or feared, each as a command of a shell. */

export interface Escape {
	readonly name: string;
	readonly command: string;
	/** Shows that the command has tried, and was refused. */
	readonly refused: RegExp;
}

/** Canaries on the host, which commands aim at. */
export interface Targets {
	/** A directory outside the project, with a file `canary`. */
	readonly outside: string;
	readonly home: string;
	readonly project: string;
	/** A process of the host. */
	readonly pid: number;
	/** A server of the host, on its loopback and on another address. */
	readonly port: number;
	readonly address: string;
	/** Sockets of the host: in the home directory, in the project, and an abstract one. */
	readonly homeSocket: string;
	readonly projectSocket: string;
	readonly abstractSocket: string;
	/** The host's namespace of processes: nothing is signaled if the command runs in it. */
	readonly pidNamespace: string;
}

const denied = /Read-only|[Pp]ermission denied|not permitted|No such file|EPERM|Invalid cross-device|busy/;

/** Numbers of system calls, by name: they differ between processors. */
const calls: Record<string, readonly [x64: number, arm64: number]> = {
	ptrace: [101, 117],
	process_vm_readv: [310, 270],
	pidfd_getfd: [438, 438],
	setns: [308, 268],
	pivot_root: [155, 41],
	chroot: [161, 51],
	mount: [165, 40],
	umount2: [166, 39],
	fsopen: [430, 430],
	open_tree: [428, 428],
	move_mount: [429, 429],
	unshare: [272, 97],
	clone: [56, 220],
	clone3: [435, 435],
	open_by_handle_at: [304, 265],
	init_module: [175, 105],
	finit_module: [313, 273],
	bpf: [321, 280],
	perf_event_open: [298, 241],
	keyctl: [250, 219],
	add_key: [248, 217],
	userfaultfd: [323, 282],
	kexec_load: [246, 104],
	reboot: [169, 142],
	settimeofday: [164, 170],
	sethostname: [170, 161],
	syslog: [103, 116],
	io_uring_setup: [425, 425],
	swapoff: [168, 225],
	acct: [163, 89],
	fanotify_init: [300, 262],
};

/** Prints the error of a system call, or ESCAPED. */
function systemCall(name: keyof typeof calls & string, ...args: (number | string)[]): string {
	const number = calls[name]?.[process.arch === "arm64" ? 1 : 0] ?? -1;
	// Perl passes the address of a variable, and not of a constant.
	const words = args.flatMap((arg, index) => (typeof arg === "string" ? [`my $a${index} = ${arg};`] : []));
	const values = args.map((arg, index) => (typeof arg === "string" ? `$a${index}` : arg));
	return `perl -e '${words.join(" ")} my $r = syscall(${[number, ...values].join(", ")}); print $r == -1 ? "EPERM or other: $!\\n" : "ESCAPED $r\\n"'`;
}

const refusedCall = /EPERM or other: (?:Operation not permitted|Function not implemented)/;

function kernelEscapes(): Escape[] {
	const attempts: [name: string, ...args: (number | string)[]][] = [
		["ptrace", 16, 1, 0, 0],
		["process_vm_readv", 1, 0, 0, 0, 0, 0],
		["pidfd_getfd", 0, 0, 0],
		["setns", 0, 0],
		["pivot_root", '"/tmp"', '"/tmp"'],
		["chroot", '"/tmp"'],
		["mount", '"none"', '"/tmp"', '"tmpfs"', 0, 0],
		["umount2", '"/run"', 2],
		["fsopen", '"tmpfs"', 0],
		["open_tree", -100, '"/"', 1],
		["move_mount", 0, '""', 0, '""', 0],
		["unshare", 0x10000000],
		["unshare", 0x00020000],
		["clone", 0x10000011, 0, 0, 0, 0],
		["clone3", 0, 0],
		["open_by_handle_at", 0, 0, 0],
		["init_module", 0, 0, 0],
		["finit_module", 0, 0, 0],
		["bpf", 0, 0, 0],
		["perf_event_open", 0, 0, 0, -1, 0],
		["keyctl", 0, -3, 0],
		["add_key", '"user"', '"x"', '"x"', 1, -3],
		["userfaultfd", 0],
		["kexec_load", 0, 0, 0, 0],
		["reboot", 0, 0, 0, 0],
		["settimeofday", 0, 0],
		["sethostname", '"evil"', 4],
		["syslog", 3, 0, 0],
		["io_uring_setup", 1, 0],
		["swapoff", '"/nowhere"'],
		["acct", 0],
		["fanotify_init", 0, 0],
	];
	return attempts.map(([name, ...args]) => ({
		name: `system call ${name} (${args.join(", ")})`,
		command: systemCall(name, ...args),
		refused: refusedCall,
	}));
}

function fileEscapes({ outside, home, project }: Targets): Escape[] {
	const write = (name: string, path: string): Escape => ({
		name: `write ${name}`,
		command: `echo evil > ${path}`,
		refused: denied,
	});
	return [
		{
			name: "a program for others that runs as the user",
			command: "cp /bin/true owner; chmod u+s owner; [ -u owner ] && echo ESCAPED; rm -f owner",
			refused: /not permitted/,
		},
		{
			name: "such a program, created with its mode",
			command:
				'perl -e \'umask 0; sysopen(F, "owner", 0x41, 04755) or print("refused: $!\\n")\'; [ -u owner ] && echo ESCAPED; rm -f owner',
			refused: /refused: .*not permitted/,
		},
		{
			name: "such a program, copied with its mode",
			command: "cp -p /usr/bin/passwd owner; [ -u owner ] && echo ESCAPED; rm -f owner; echo tried",
			refused: /tried/,
		},
		write("a file outside the project", `${outside}/new`),
		write("over a file outside the project", `${outside}/canary`),
		write("~/.bashrc", `${home}/.bashrc`),
		write("a new ~/.profile", `${home}/.profile`),
		write("/etc/profile.d", "/etc/profile.d/tau-evil.sh"),
		write("/etc/ld.so.preload", "/etc/ld.so.preload"),
		write("/usr/local/bin", "/usr/local/bin/tau-evil"),
		write("the root directory", "/tau-evil"),
		write("through /proc/self/root", `/proc/self/root${outside}/new`),
		write("through /proc/1/root", `/proc/1/root${outside}/new`),
		write("through /proc/self/cwd", `/proc/self/cwd/../outside/new`),
		write("core_pattern", "/proc/sys/kernel/core_pattern"),
		write("sysrq-trigger", "/proc/sysrq-trigger"),
		write("the host name in /proc/sys", "/proc/sys/kernel/hostname"),
		write("modprobe's path", "/proc/sys/kernel/modprobe"),
		write("the helper of uevents", "/sys/kernel/uevent_helper"),
		write("a cgroup", "/sys/fs/cgroup/cgroup.procs"),
		...["kmsg", "mem", "kvm", "sda", "vda", "nvme0n1", "fuse", "vsock"].map((name) => ({
			name: `the device ${name}`,
			command: `(: < /dev/${name}) && echo ESCAPED; cat /dev/${name}`,
			refused: denied,
		})),
		write("the memory of the first process", "/proc/1/mem"),
		write("the orders of Tau's shell", "/run/tau/orders/bash-1.order"),
		write("a new order", "/run/tau/orders/new.order"),
		write("a cron table", "/var/spool/cron/root"),
		{
			name: "write through a link in the project",
			command: `ln -s ${outside}/canary link1; echo evil > link1`,
			refused: denied,
		},
		{
			name: "write through a linked directory",
			command: `ln -s ${home} link2; echo evil > link2/.bashrc`,
			refused: denied,
		},
		{
			name: "link a file outside into the project",
			command: `ln ${outside}/canary hard && echo evil > hard`,
			refused: denied,
		},
		{
			name: "move the project",
			command: `mv ${project} ${project}.moved`,
			refused: denied,
		},
		{
			name: "move a file out of the project",
			command: `echo evil > moved; mv moved ${outside}/moved`,
			refused: denied,
		},
	];
}

function mountEscapes({ outside, home }: Targets): Escape[] {
	return [
		{ name: "make a device", command: "mknod /tmp/disk b 8 0 && cat /tmp/disk", refused: denied },
		{
			name: "mount a directory over another",
			command: `mount --bind ${outside} /tmp`,
			refused: /denied|permitted|superuser|mount:/,
		},
		{
			name: "remount the root writable",
			command: "mount -o remount,rw /",
			refused: /denied|permitted|superuser|mount:/,
		},
		{
			name: "unmount what hides a secret",
			command: `umount ${home}/.ssh; cat ${home}/.ssh/id`,
			refused: /denied|permitted|superuser|umount:/,
		},
		{ name: "a user namespace", command: "unshare -Urm true && echo ESCAPED", refused: /not permitted/ },
		{ name: "enter the first process", command: "nsenter -t 1 -a true", refused: /nsenter:/ },
		{
			name: "a program that becomes root",
			command: `cp /bin/bash /tmp/sh; chmod u+s /tmp/sh; grep NoNewPrivs /proc/self/status; /tmp/sh -p -c 'echo evil > ${outside}/new'`,
			refused: denied,
		},
	];
}

function secretEscapes({ home, project }: Targets): Escape[] {
	const read = (name: string, command: string): Escape => ({
		name,
		command: `${command}; echo tried`,
		refused: /tried/,
	});
	return [
		read("read a key of ssh", `cat ${home}/.ssh/id`),
		read("list a hidden directory", `ls -la ${home}/.aws; cat ${home}/.aws/credentials`),
		read("archive the home directory", `tar cf - ${home} 2>/dev/null | cat`),
		read("search the home directory", `grep -r . ${home} 2>/dev/null`),
		read("copy hidden files", `cp -a ${home}/.ssh /tmp/copy; cat /tmp/copy/*`),
		read("move a hidden directory", `mv ${home}/.ssh ${project}/ssh; cat ${project}/ssh/id`),
		read("a link to a key", `ln -s ${home}/.ssh/id key; cat key`),
		read("a token in a file", `cat ${home}/.netrc; head -c 100 ${home}/.netrc`),
		read("through /proc/1/root", `cat /proc/1/root${home}/.ssh/id`),
		read("environments of other processes", "cat /proc/[0-9]*/environ"),
		read("command lines of the host", "cat /proc/[0-9]*/cmdline"),
		read("open files of other processes", "cat /proc/1/fd/* /proc/2/fd/* 2>/dev/null"),
		read("/etc/shadow", "cat /etc/shadow"),
		read(
			"a state of the shell that is a link",
			`for n in 1 2 3 4 5 6 7 8 9; do ln -sf ${home}/.ssh/id /run/tau/states/bash-1-$n.state; done; ls /run/tau/states`,
		),
	];
}

function gitEscapes(): Escape[] {
	return [
		{ name: "a git hook", command: "echo evil > .git/hooks/pre-commit", refused: denied },
		{
			name: "git's configuration",
			command: "git config core.fsmonitor ./evil.sh",
			refused: /could not|Read-only|busy/,
		},
		{ name: "over git's configuration", command: "echo evil >> .git/config", refused: denied },
		{
			name: "replace git's configuration",
			command: "cp .git/config c; echo evil >> c; mv -f c .git/config",
			refused: denied,
		},
		{ name: "move git's hooks", command: "mv .git/hooks .git/old && mkdir .git/hooks", refused: denied },
		{ name: "delete git's hooks", command: "rm -rf .git/hooks", refused: denied },
		{ name: "move the repository", command: "mv .git old && cp -r old .git", refused: denied },
		{
			name: "delete the repository",
			command: "rm -rf .git 2>&1 | tail -3; git config x.y z",
			refused: /could not|busy|not in a git/,
		},
		{ name: "Tau's configuration of the project", command: "echo evil > .tau/config.yml", refused: denied },
		{ name: "move Tau's configuration", command: "mv .tau old", refused: denied },
	];
}

/** How long the daemon of an attempt sleeps: its mark, which is that of these targets alone. */
export function daemonSeconds({ pid }: Targets): string {
	return `4711.${pid}`;
}

function processEscapes(targets: Targets): Escape[] {
	const { outside, pid, pidNamespace, home } = targets;
	const isInside = `[ "$(readlink /proc/self/ns/pid)" != "${pidNamespace}" ]`;
	return [
		{ name: "signal a process of the host", command: `kill -9 ${pid}`, refused: /No such process/ },
		{ name: "look at a process of the host", command: `cat /proc/${pid}/cmdline`, refused: denied },
		{ name: "read a process of the host", command: `cat /proc/${pid}/mem`, refused: denied },
		{
			name: "a background process that writes later",
			command: `(setsid sh -c 'sleep 0.05; echo evil > ${outside}/later' >/dev/null 2>&1 &) ; sleep 0.2; echo tried`,
			refused: /tried/,
		},
		{
			name: "a daemon without environment",
			command: `(setsid env -i sh -c 'trap "" TERM HUP; exec sleep ${daemonSeconds(targets)}' >/dev/null 2>&1 &); echo tried`,
			refused: /tried/,
		},
		{
			name: "a preloaded library",
			command: `export LD_PRELOAD=/tmp/evil.so; echo evil > ${home}/.config/environment.d; unset LD_PRELOAD`,
			refused: denied,
		},
		{
			name: "type into the terminal",
			command: `perl -e 'my $x = "x"; my $r = ioctl(STDIN, 0x5412, $x); print $r ? "ESCAPED" : "EPERM or other: $!\\n"'`,
			refused: /EPERM or other/,
		},
		{
			name: "become another user",
			command: "su nobody -s /bin/sh -c 'echo ESCAPED'",
			refused: /su:|Permission|cannot/,
		},
		{
			name: "a service of the user",
			command: "systemd-run --user true && echo ESCAPED; crontab -l && echo ESCAPED; echo tried",
			refused: /tried/,
		},
		{
			name: "signal the first process",
			command: `${isInside} && kill -9 1; echo tried`,
			refused: /tried/,
		},
		{
			name: "signal everything",
			command: `${isInside} && { (sleep 0.05; kill -9 -1) & wait; }; echo tried`,
			// The shell itself is gone.
			refused: /tried|^$/,
		},
	];
}

function networkEscapes(targets: Targets): Escape[] {
	const { port, address, homeSocket, projectSocket, abstractSocket } = targets;
	const unix = (path: string): string =>
		`perl -e 'use Socket; socket(S, PF_UNIX, SOCK_STREAM, 0) or print("no socket: $!\\n"); connect(S, pack_sockaddr_un(${path})) or print("not connected: $!\\n")'`;
	const socket = (family: number, type: number, protocol = 0): string =>
		`perl -e 'socket(S, ${family}, ${type}, ${protocol}) ? print("ESCAPED\\n") : print("no socket: $!\\n")'`;
	return [
		{
			name: "the host's loopback",
			command: `exec 9<>/dev/tcp/127.0.0.1/${port}`,
			refused: /refused|unreachable/,
		},
		{
			name: "another address of the host",
			command: `exec 9<>/dev/tcp/${address}/${port}`,
			refused: /refused|unreachable/,
		},
		{ name: "a server of the internet", command: "exec 9<>/dev/tcp/1.1.1.1/443", refused: /unreachable/ },
		{ name: "a name server", command: "echo x > /dev/udp/8.8.8.8/53", refused: /unreachable/ },
		{ name: "the resolver", command: "getent hosts example.org || echo unresolved", refused: /unresolved/ },
		{ name: "a socket in the home directory", command: unix(`"${homeSocket}"`), refused: /no socket/ },
		{ name: "a socket in the project", command: unix(`"${projectSocket}"`), refused: /no socket/ },
		{ name: "an abstract socket", command: unix(`"\\0${abstractSocket}"`), refused: /no socket/ },
		...["SOCK_DGRAM", "SOCK_RAW"].map((type) => ({
			name: `a ${type} socket of a pair`,
			command: `perl -e 'use Socket; socketpair(A, B, PF_UNIX, ${type}, 0) or print("no socket: $!\\n"); send(A, "evil", 0, pack_sockaddr_un("${homeSocket}")) and print("ESCAPED\\n")'`,
			refused: /no socket/,
		})),
		{
			name: "D-Bus",
			command: 'ls /run/dbus /var/run/dbus; echo "bus: $DBUS_SESSION_BUS_ADDRESS"',
			refused: /bus: $/m,
		},
		{
			name: "Docker's socket",
			command: "ls /run/docker.sock /var/run/docker.sock /run/containerd /run/podman",
			refused: /No such file/,
		},
		{
			name: "the agent of ssh",
			command: 'echo "agent: $SSH_AUTH_SOCK"; ls /tmp/ssh-*',
			refused: /agent: \n/,
		},
		{ name: "the X server", command: 'ls /tmp/.X11-unix; echo "display: $DISPLAY"', refused: /display: $/m },
		{ name: "packets of the link", command: socket(17, 3, 768), refused: /no socket/ },
		{ name: "the hypervisor", command: socket(40, 1), refused: /no socket/ },
		{ name: "the kernel's ciphers", command: socket(38, 5), refused: /no socket/ },
		{ name: "Bluetooth", command: socket(31, 3), refused: /no socket/ },
		{ name: "raw packets", command: socket(2, 3, 1), refused: /no socket/ },
	];
}

export function escapes(targets: Targets): Escape[] {
	return [
		...fileEscapes(targets),
		...mountEscapes(targets),
		...secretEscapes(targets),
		...gitEscapes(),
		...kernelEscapes(),
		...networkEscapes(targets),
		...processEscapes(targets),
	];
}
