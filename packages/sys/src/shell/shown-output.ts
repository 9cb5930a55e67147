/**
 * Shows the output of a command in a terminal of another program. What runs in that terminal only reads a pipe: the command
 * stays where it is, in its shell and its sandbox.
 */
import { constants } from "node:fs";
import { open, rm, writeFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

import { delay, log, temporaryDirectory } from "@tau/utils";

import { limits } from "../limits.ts";
import { findOwn, standardPath } from "./find-shell.ts";

/** Shows everything, and exits as the command did. */
const script = 'cat "$1/output"; exit "$(cat "$1/code")"';

export class ShownOutput implements AsyncDisposable {
	readonly #directory: string;
	readonly #pipe: string;
	/** Resolves when the terminal reads. */
	readonly #reader: Promise<FileHandle>;
	#written: Promise<void>;
	/** Bytes that the terminal has not read. */
	#waiting = 0;

	private constructor(directory: string) {
		this.#directory = directory;
		this.#pipe = join(directory, "output");
		this.#reader = open(this.#pipe, constants.O_WRONLY);
		this.#written = this.#reader.then(() => {});
		this.#written.catch(() => {});
	}

	/** Rejects where pipes cannot be made. */
	static async open(): Promise<ShownOutput> {
		const directory = temporaryDirectory("shown");
		const making = [findOwn("mkfifo") ?? "mkfifo", "-m", "600", join(directory, "output")];
		const quiet = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const;
		const code = await Bun.spawn(making, { env: { PATH: standardPath }, ...quiet }).exited;
		if (code === 0) return new ShownOutput(directory);
		await rm(directory, { recursive: true, force: true });
		throw new Error(`mkfifo ended with code ${code}.`);
	}

	/** What the other program is to run. */
	get program(): { command: string; args: string[] } {
		return { command: "sh", args: ["-c", script, "tau", this.#directory] };
	}

	/** What a terminal that reads slowly has no room for is left out. */
	write(text: string): void {
		const bytes = Buffer.from(text);
		if (bytes.length === 0 || this.#waiting + bytes.length > limits.shownOutputBytes) return;
		this.#waiting += bytes.length;
		this.#then(async (pipe) => {
			await pipe.writeFile(bytes);
			this.#waiting -= bytes.length;
		});
	}

	/** The terminal shows what is left, and the program in it ends. */
	end(exitCode: number): void {
		this.#then(async (pipe) => {
			await writeFile(join(this.#directory, "code"), String(exitCode), { mode: 0o600 });
			await pipe.close();
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		// A pipe that nobody reads would be opened, or written to, forever: what is left is read here. And one that nobody
		// writes would be opened forever by a terminal that starts late: it has a writer until it has no name any more.
		const reader = await open(this.#pipe, constants.O_RDWR | constants.O_NONBLOCK);
		await this.#reader;
		await rm(this.#pipe);
		const over = new AbortController();
		void this.#written.catch(() => {}).then(() => over.abort());
		const left = Buffer.alloc(limits.pipeBytes);
		// Nothing to read is an error of a pipe that does not block.
		while (!over.signal.aborted) await reader.read(left).catch(() => delay(1));
		await reader.close();
		await (await this.#reader).close().catch(() => {});
		await rm(this.#directory, { recursive: true, force: true });
	}

	#then(work: (pipe: FileHandle) => Promise<void>): void {
		this.#written = this.#written.then(async () => work(await this.#reader));
		// A terminal that was closed does not read any more.
		this.#written.catch((error: unknown) => log.debug("a terminal shows no more", { reason: String(error) }));
	}
}
