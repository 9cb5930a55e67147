/** How shells are started elsewhere than directly on this machine: in a sandbox. */
import type { InsideProcess } from "../process/index.ts";
import type { ShellRoom } from "./pipe-room.ts";

export interface LaunchOptions {
	/** Where the program starts, as it sees it. */
	cwd: string;
	/** True if the program has a terminal of its own, which controls its session. */
	terminal?: boolean;
	/** True if the program itself sets `processLimit` before it does anything else. */
	limitsItself?: boolean;
	/** True if the program needs Unix sockets; where the sandbox refuses them, it may still have its own. */
	unixSockets?: boolean;
}

/** To be disposed of when the program has started. */
export interface Launch extends Disposable {
	/** The command line that starts the program there. */
	readonly command: readonly string[];
	/** A file that it needs as descriptor 4. */
	readonly file: number | "ignore";
	/** Resolves when the program can reach its network: a shell starts meanwhile, and a command runs afterwards. */
	readonly connected?: Promise<void>;
	/** Whether what the program was started in has ended; the next launch starts it anew. */
	hasEnded?(): boolean;
}

export interface ShellLauncher {
	/** The files that its shells share with this process. */
	readonly room: ShellRoom;
	/** What its programs can see, write and reach, as a text to compare. */
	readonly boundary?: string | undefined;
	/** How many processes there may be; the launcher sets it for programs that do not. */
	readonly processLimit?: number;
	/** What a user can do if no shell starts there. */
	readonly help?: string;
	/** Starts what its programs run in, without waiting for it; a launch reports what failed. */
	prepare?(): void;
	/** How a program is started there. Rejects with a readable reason. */
	launch(command: readonly string[], options: LaunchOptions): Promise<Launch>;
	/** The environment for a program that is started there. */
	environment(env: Record<string, string>): Record<string, string>;
	/** Called before a command is started. Throws with a readable reason if it must not be. */
	commandStarts?(): void;
	/** Called when a command has ended, before anyone learns of it, with whether processes of it are left. Must not throw. */
	commandEnded(hasLeftovers?: () => boolean): void;
	/** The path under which this process sees what a program there sees at `path`. */
	hostPath(path: string): string;
	/**
	 * The processes inside, where the kernel ends all of them with the launcher and none can leave.
	 * Undefined where that is not so, and when nothing runs.
	 */
	processesInside?(): readonly InsideProcess[] | undefined;
	/** The reverse, for temporary files: the path that its programs know. */
	shownPath?(path: string): string;
}

/** Undefined where programs are started directly. A promise where that is not known yet; it rejects with the reason. */
export type CurrentLauncher = ShellLauncher | undefined | Promise<ShellLauncher | undefined>;
