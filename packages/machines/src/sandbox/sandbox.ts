/**
 * A sandbox for the commands of one session. One process holds its namespaces; each shell enters them, so that all
 * shells share one network, one list of processes and one private temporary directory.
 */
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";

import {
	endScope,
	forgetScope,
	newScope,
	ownShell,
	shellEnded,
	reviveWatcher,
	withMarkAlone,
	findOwn,
	processesIn,
	ShellRoom,
	standardPath,
	type InsideProcess,
	type Launch,
	type LaunchOptions,
} from "@tau/sys";
import { fileSystemArgs, ordersInside, statesInside, type SandboxDirectories } from "./bubblewrap.ts";
import { sandboxHelp, type CommandSandbox } from "./command-sandbox.ts";
import type { Denial } from "./denial.ts";
import { insideEnvironment } from "./environment.ts";
import { readInfo, type HolderProcess } from "./holder-info.ts";
import { LaterMounts } from "./later-mounts.ts";
import { limits } from "./limits.ts";
import type { SandboxLoopback } from "./network/loopback.ts";
import type { ProxiedNetwork } from "./network/network.ts";
import type { RefusedHost } from "./network/proxy.ts";
import { mountPoints } from "./mount-points.ts";
import { PlantedFiles } from "./planted.ts";
import { PrivateDirectory, PrivateTemporary } from "./private-directory.ts";
import { isBelow } from "./below.ts";
import type { SandboxProfile } from "./profile.ts";
import { ProfileSources } from "./profile-sources.ts";
import { seccompFilter } from "./seccomp.ts";
import type { SandboxSupport } from "./support.ts";

interface Holder {
	readonly child: HolderProcess;
	/** A process in all of its namespaces. */
	readonly pid: number;
	/** The program that enters them. */
	readonly nsenter: string;
	readonly connected: Promise<void>;
}

/** Other namespaces that the sandbox is in: those of an isolated tree. */
export interface SandboxSurroundings {
	/** The command line that enters them; what follows it runs inside. */
	readonly namespaces: readonly string[];
	/** The path under which this process sees what a program there sees at `path`. */
	hostPath(path: string): string;
}

export class Sandbox implements CommandSandbox {
	readonly profile: SandboxProfile;
	readonly room: ShellRoom;
	readonly boundary: string | undefined;
	readonly help = sandboxHelp;
	readonly processLimit = limits.processes;
	readonly #sources: ProfileSources;
	readonly #support: SandboxSupport;
	readonly #scope = newScope();
	readonly #own = new PrivateDirectory();
	readonly #temporary: PrivateTemporary;
	readonly #ownsTemporary: boolean;
	readonly #surroundings: SandboxSurroundings | undefined;
	#directories: SandboxDirectories | undefined;
	/** Filters of system calls, by whether they allow Unix sockets. */
	readonly #filters = new Map<boolean, string>();
	#holder: Promise<Holder> | undefined;
	/** The holder, while it runs. */
	#running: Holder | undefined;
	#starts = 0;
	/** What is there before the first command is the user's. */
	#planted: PlantedFiles | undefined;
	#network: ProxiedNetwork | undefined;
	#closed = false;

	/** `temporary` is shared with other sandboxes, and disposed of by its owner. */
	constructor(
		profile: SandboxProfile,
		support: SandboxSupport,
		temporary?: PrivateTemporary,
		surroundings?: SandboxSurroundings,
	) {
		this.#surroundings = surroundings;
		this.#temporary = temporary ?? new PrivateTemporary();
		this.#ownsTemporary = temporary === undefined;
		this.profile = profile;
		this.#sources = new ProfileSources(profile);
		this.boundary = profile.boundary;
		this.#temporary.show(profile.shown);
		this.#support = support;
		this.room = new ShellRoom({
			create: () => this.#opened().orders,
			states: () => this.#opened().states,
			inside: (path) => this.#inside(path),
		});
	}

	get kind(): SandboxSupport["kind"] {
		return this.#support.kind;
	}

	prepare(): void {
		this.#started().catch(() => {});
	}

	/** Starts the sandbox if it does not run. */
	async launch(
		command: readonly string[],
		{ cwd, terminal, unixSockets = false, limitsItself = false }: LaunchOptions,
	): Promise<Launch> {
		const bwrap = bubblewrapOf(this.#support);
		const holder = this.#started();
		const { pid, nsenter, connected } = await holder;
		const hasEnded = (): boolean => {
			// A process that has ended has left its namespaces, whether or not its end was reported yet.
			if (existsSync(`/proc/${pid}/ns/ipc`)) return false;
			if (this.#holder === holder) this.#holder = undefined;
			return true;
		};
		const filter = this.#filter(unixSockets || this.profile.unixSockets);
		const network = this.#ownsNetwork ? ["--net"] : [];
		const namespaces = ["--user", "--mount", "--pid", "--ipc", "--uts", ...network];
		const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
		const user = `--unshare-user --uid ${uid} --gid ${gid}`.split(" ");
		const inside = [
			nsenter,
			"--target",
			`${pid}`,
			...namespaces,
			"--preserve-credentials",
			"--",
			bwrap,
			...user,
			...innerArgs,
			// A terminal of its own controls the session; any other one must be out of reach.
			...(terminal ? [] : ["--new-session"]),
			"--chdir",
			cwd,
			"--",
			...(limitsItself ? [] : limited),
			...(terminal ? signalReset : []),
			...command,
		];
		// A terminal is started without further descriptors.
		if (terminal) {
			const started = ["/bin/sh", "-c", terminalScript, filter, ...inside];
			return { command: started, file: "ignore", connected, [Symbol.dispose]() {} };
		}
		// Opened for each program, which reads it to its end.
		const file = openSync(filter, "r");
		return { command: inside, file, connected, hasEnded, [Symbol.dispose]: () => closeSync(file) };
	}

	environment(env: Record<string, string>): Record<string, string> {
		return insideEnvironment(env, this.profile, { temporary: "/tmp", isProxied: this.#isProxied });
	}

	commandStarts(): void {
		if (!this.#surroundings) this.#plantedFiles().commandStarts();
	}

	commandEnded(hasLeftovers?: () => boolean): void {
		// What git would run later is not merged from an isolated tree.
		if (!this.#surroundings) this.#plantedFiles().commandEnded(hasLeftovers);
	}

	get isOutdated(): boolean {
		return this.#sources.namesMore() || (!this.#surroundings && this.#planted?.isLoose === true);
	}

	retire(): void {
		this.#planted?.retire();
	}

	disarmed(): Denial[] {
		return this.#planted?.take() ?? [];
	}

	get hasOwnLoopback(): boolean {
		return this.#ownsNetwork;
	}

	get loopback(): SandboxLoopback | undefined {
		return this.#network;
	}

	refusedSince(at: number): readonly RefusedHost[] {
		return this.#network?.refusedSince(at) ?? [];
	}

	/** A process cannot leave its namespace, and the kernel ends all of them with the first. */
	processesInside(): readonly InsideProcess[] | undefined {
		return this.#running && processesIn(this.#running.pid);
	}

	hostPath(path: string): string {
		const { profile } = this;
		if (profile.writable.some((root) => path === root || isBelow(path, root)))
			return this.#surroundings?.hostPath(path) ?? path;
		if (this.#own.has(path)) return path;
		return this.#temporary.find(path) ?? this.#surroundings?.hostPath(path) ?? path;
	}

	shownPath(path: string): string {
		return this.#temporary.shownPath(path);
	}

	/** Ends all processes inside, and deletes the temporary files. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#closed = true;
		const holder = await this.#holder?.catch(() => undefined);
		const isAlone = this.#network === undefined && this.processesInside()?.length === holderProcesses;
		holder?.child.kill("SIGKILL");
		// A forwarder that is being started would be missed.
		await holder?.connected.catch(() => {});
		await this.#network?.[Symbol.asyncDispose]();
		// What commands have left behind may not have ended yet: it is waited for.
		if (!isAlone || !(holder && (await untilEnded(holder)) && forgetScope(this.#scope)))
			await endScope(this.#scope);
		this.#planted?.[Symbol.dispose]();
		this.#directories = undefined;
		this.#own[Symbol.dispose]();
		if (this.#ownsTemporary) this.#temporary[Symbol.dispose]();
	}

	#started(): Promise<Holder> {
		if (this.#closed) return Promise.reject(new Error("The sandbox has ended."));
		return (this.#holder ??= this.#start());
	}

	async #start(startsLeft: number = limits.startsWhileMounting): Promise<Holder> {
		const number = ++this.#starts;
		const bwrap = bubblewrapOf(this.#support);
		const options = [
			"--unshare-all",
			...(this.#ownsNetwork ? [] : ["--share-net"]),
			...holderArgs,
			...fileSystemArgs(this.profile, this.#opened()),
		];
		// From a file: commands can read the command line of this process, and it names what is hidden.
		const list = this.#write(
			"arguments",
			Buffer.from(options.map((option) => `${option}\0`).join("")),
			0o600,
		);
		const file = openSync(list, "r");
		const args = ["--args", "4", "--", "/bin/sh", "-c", holderScript];
		const command = [...(this.#surroundings?.namespaces ?? []), bwrap, ...args];
		const laterMounts = new LaterMounts();
		const child: HolderProcess = Bun.spawn(command, {
			cwd: "/",
			env: withMarkAlone({ PATH: standardPath }, this.#scope),
			stdio: ["pipe", "pipe", "pipe", "pipe", file],
			detached: true,
		});
		closeSync(file);
		try {
			// While bubblewrap works: it ends with this process (`--die-with-parent`), and no command runs yet.
			reviveWatcher();
			this.#plantedFiles();
			this.#filter(this.profile.unixSockets);
			const nsenter = nsenterOf(this.#support);
			const pid = await readInfo(child);
			if (!(await laterMounts.keepOut(nsenter, pid))) {
				if (startsLeft <= 1)
					throw new Error(
						"The sandbox could not be started: file systems were mounted each time. Try again.",
					);
				child.kill("SIGKILL");
				return await this.#start(startsLeft - 1);
			}
			const owned = ownShell(child.pid, this.#scope);
			void child.exited.then(() => {
				shellEnded(owned);
				// Another one may have been started in its place.
				if (number !== this.#starts) return;
				this.#holder = undefined;
				this.#running = undefined;
			});
			child.unref();
			const connected = this.#connect(nsenter, pid);
			// Without a network, the next command starts everything again.
			connected.catch(() => child.kill("SIGKILL"));
			this.#running = { child, pid, nsenter, connected };
			return this.#running;
		} catch (error) {
			child.kill("SIGKILL");
			this.#holder = undefined;
			throw error;
		}
	}

	#plantedFiles(): PlantedFiles {
		const points = () => this.#running && mountPoints(this.#running.pid);
		return (this.#planted ??= new PlantedFiles(this.profile, { paths: this.profile.readOnly, points }));
	}

	get #ownsNetwork(): boolean {
		return this.kind === "bubblewrap" && this.profile.network !== "open";
	}

	get #isProxied(): boolean {
		return this.#ownsNetwork && typeof this.profile.network === "object";
	}

	async #connect(nsenter: string, pid: number): Promise<void> {
		const { network: rules } = this.profile;
		if (!this.#ownsNetwork || typeof rules !== "object") return;
		const network = await import("./network/index.ts");
		if (this.#closed) throw new Error("The sandbox has ended.");
		this.#network ??= new network.ProxiedNetwork({ rules, directory: this.#own.path, mark: this.#scope });
		await this.#network.enter(nsenter, pid);
	}

	#opened(): SandboxDirectories {
		if (this.#directories) return this.#directories;
		const own = this.#own;
		this.#directories = {
			temporary: this.#temporary.tmp,
			otherTemporary: this.#temporary.varTmp,
			orders: own.directory("orders"),
			states: own.directory("states"),
			nothing: this.#write("nothing", new Uint8Array(), 0),
		};
		return this.#directories;
	}

	/**
	 * The file with the filter: passed as an open file, which survives the programs on the way. A program of the user's
	 * may need Unix sockets: what commands may do stays as it is.
	 */
	#filter(unixSockets: boolean): string {
		const written = this.#filters.get(unixSockets);
		if (written !== undefined) return written;
		const filter = seccompFilter({
			network: !this.#ownsNetwork && this.profile.network !== "open",
			unixSockets: !unixSockets,
		});
		if (!filter) throw new Error(`The sandbox has no system call filter for ${process.arch}.`);
		const path = this.#write(unixSockets ? "filter-sockets" : "filter", filter, 0o600);
		this.#filters.set(unixSockets, path);
		return path;
	}

	#write(name: string, content: Uint8Array, mode: number): string {
		const path = join(this.#own.path, name);
		writeFileSync(path, content, { mode });
		return path;
	}

	#inside(path: string): string {
		const { orders, states } = this.#opened();
		if (isBelow(path, orders)) return `${ordersInside}${path.slice(orders.length)}`;
		return isBelow(path, states) ? `${statesInside}${path.slice(states.length)}` : path;
	}
}

/** It reads to the end of the pipe to this process. */
const holderScript = "echo ready; read -r _";
/** The first process of the namespace, and the one with the script. */
const holderProcesses = 2;

/** Resolves when it has left its namespaces; false if that takes too long. */
async function untilEnded({ pid }: Holder): Promise<boolean> {
	const soon = performance.now() + limits.endsSoonMs;
	for (let look = 0; look < limits.endLooks; look++) {
		if (!existsSync(`/proc/${pid}/ns/ipc`)) return true;
		// The kernel takes a fraction of a millisecond, and the shortest timer a whole one.
		while (performance.now() < soon) {
			await setImmediate();
			if (!existsSync(`/proc/${pid}/ns/ipc`)) return true;
		}
		await Bun.sleep(1);
	}
	return false;
}

/** It ends with the pipe to this process, and everything inside ends with it. */
const holderArgs =
	"--uid 0 --gid 0 --hostname sandbox --cap-drop ALL --die-with-parent --new-session --info-fd 3".split(" ");
/** The administrator's user may write to files of the kernel even without any capability. */
const innerArgs = "--dev-bind / / --remount-ro /proc --cap-drop ALL --die-with-parent --seccomp 4".split(" ");
/** Keys of the terminal signal its whole foreground group: the program inside, and not those that hold it. */
const terminalScript = `trap '' INT QUIT TSTP; exec "$@" 4<"$0"`;
const signalReset = ["env", "--default-signal=INT", "--default-signal=QUIT", "--default-signal=TSTP"];

/** Set inside, where only processes of the sandbox count; shells differ in the letter, and bash sets it itself. A lower limit of the user's stays. */
const limitScript = `{ ulimit -u ${limits.processes} || ulimit -p ${limits.processes}; } 2>/dev/null; exec "$@"`;
const limited = ["/bin/sh", "-c", limitScript, "sh"];

function bubblewrapOf({ bwrap, reason = "bubblewrap is missing" }: SandboxSupport): string {
	if (bwrap === undefined) throw new Error(`Commands cannot be sandboxed: ${reason}.`);
	return bwrap;
}

function nsenterOf({ reason = "nsenter is missing" }: SandboxSupport): string {
	const nsenter = findOwn("nsenter");
	if (nsenter === undefined) throw new Error(`Commands cannot be sandboxed: ${reason}.`);
	return nsenter;
}
