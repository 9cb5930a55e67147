/** The directory of a shell's files and named pipes: a running shell can only be given a pipe by name. */
import { accessSync, chmodSync, constants, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isOwnDirectory, temporaryDirectory } from "@tau/utils";

import { limits } from "../limits.ts";
import { makeNamedPipes } from "./named-pipes.ts";

export interface ShellRoomOptions {
	/** Creates the directory; only this user can access it. */
	create(): string;
	/** Where shells write their state, if they cannot write to the directory itself. */
	states?(): string;
	/** The path under which shells see a file of the room, if it is another one. */
	inside?(path: string): string;
}

interface OpenRoom {
	readonly path: string;
	readonly free: string[];
	made: number;
}

export class ShellRoom implements Disposable {
	readonly #options: ShellRoomOptions;
	#open: OpenRoom | undefined;
	#making: Promise<void> | undefined;

	constructor(options: ShellRoomOptions) {
		this.#options = options;
	}

	/** The directory, for files that a shell reads. */
	get path(): string {
		return this.#opened().path;
	}

	/** The directory of files that a shell writes. */
	get states(): string {
		return this.#options.states?.() ?? this.path;
	}

	/** The path under which shells see a file of the room. */
	inside(path: string): string {
		return this.#options.inside?.(path) ?? path;
	}

	/** Makes pipes if there are none, without waiting for them; taking one reports what failed. */
	preparePipes(): void {
		if (this.#making || (this.#open && this.#open.free.length > 0)) return;
		const room = this.#opened();
		const making = this.#makePipes().then(
			(path) => void room.free.push(path),
			() => {},
		);
		this.#making = making;
		void making.then(() => (this.#making = undefined));
	}

	/** An unused pipe, and its reading end. */
	async takePipe(): Promise<{ path: string; reader: number }> {
		if (this.#making) await this.#making;
		const path = this.#open?.free.pop() ?? (await this.#makePipes());
		try {
			return { path, reader: openReader(path) };
		} catch {
			// The directory for temporary files was cleared: a new one is created.
			this[Symbol.dispose]();
			const fresh = await this.#makePipes();
			return { path: fresh, reader: openReader(fresh) };
		}
	}

	/** Only for a pipe that no process has open any more. */
	returnPipe(path: string): void {
		if (this.#open && path.startsWith(this.#open.path)) this.#open.free.push(path);
	}

	[Symbol.dispose](): void {
		const path = this.#open?.path;
		this.#open = undefined;
		if (path === undefined) return;
		// A command may have changed its mode, or have put a link in its place.
		if (isOwnDirectory(path)) chmodSync(path, 0o700);
		rmSync(path, { recursive: true, force: true });
	}

	async #makePipes(): Promise<string> {
		const room = this.#opened();
		const names = Array.from({ length: limits.pipesMade }, () => join(room.path, `${++room.made}.out`));
		await makeNamedPipes(names);
		const [first = room.path, ...others] = names;
		room.free.push(...others);
		return first;
	}

	#opened(): OpenRoom {
		// A command, or a clean-up of temporary files, may have taken it away.
		if (this.#open && !isUsable(this.#open.path)) this.#open = undefined;
		return (this.#open ??= { path: this.#options.create(), free: [], made: 0 });
	}
}

/** The room of all shells that run as Tau itself does. */
export const ownRoom = new ShellRoom({
	create: () => {
		process.off("exit", closeOwnRoom);
		process.once("exit", closeOwnRoom);
		return newDirectory();
	},
});

function isUsable(directory: string): boolean {
	try {
		accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

function closeOwnRoom(): void {
	ownRoom[Symbol.dispose]();
}

function openReader(path: string): number {
	// Opens the pipe without waiting for a writer.
	return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

/** Commands run even if TMPDIR is gone, as after the end of a build environment. */
function newDirectory(): string {
	try {
		return temporaryDirectory("shell");
	} catch (error) {
		if (tmpdir() === "/tmp") throw error;
		return temporaryDirectory("shell", "/tmp");
	}
}
