/** A real pseudo-terminal with a program in it and an emulator on the other side, which also answers queries. */
import { join } from "node:path";

import { Terminal as Xterm } from "@xterm/headless";

export interface PtyOptions {
	columns?: number;
	rows?: number;
	env?: Record<string, string>;
	command?: string[];
}

export class Pty implements AsyncDisposable {
	readonly xterm: Xterm;
	readonly child: Bun.Subprocess;
	/** The whole output of the program. */
	output = "";
	#changed = Promise.withResolvers<void>();

	constructor({ columns = 60, rows = 12, env = {}, command }: PtyOptions = {}) {
		this.xterm = new Xterm({
			cols: columns,
			rows,
			scrollback: 10_000,
			allowProposedApi: true,
			logLevel: "off",
		});
		const decoder = new TextDecoder();
		this.child = Bun.spawn(command ?? [process.execPath, join(import.meta.dir, "app.ts")], {
			env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", TERM: "xterm-256color", ...env },
			terminal: {
				cols: columns,
				rows,
				data: (_, chunk) => {
					const text = decoder.decode(chunk, { stream: true });
					this.output += text;
					this.xterm.write(text, () => this.#emit());
				},
			},
		});
		this.xterm.onData((reply) => this.type(reply));
		void this.child.exited.then(() => this.#emit());
	}

	type(text: string): void {
		this.child.terminal?.write(text);
	}

	resize(columns: number, rows: number): void {
		this.xterm.resize(columns, rows);
		this.child.terminal?.resize(columns, rows);
	}

	/** History and screen of the normal buffer, without the blank rows at the end. */
	rows(which: "normal" | "active" = "normal"): string[] {
		const buffer = this.xterm.buffer[which];
		const rows = Array.from(
			{ length: buffer.length },
			(_, at) => buffer.getLine(at)?.translateToString(true) ?? "",
		);
		return rows.slice(0, rows.findLastIndex((row) => row !== "") + 1);
	}

	/** Writes to the terminal as another program; resolves when all earlier output is shown. */
	async write(text = ""): Promise<void> {
		await new Promise<void>((resolve) => {
			this.xterm.write(text, resolve);
		});
	}

	/** Waits until the condition holds. */
	async until(condition: () => boolean): Promise<void> {
		while (!condition()) {
			await this.#changed.promise;
		}
	}

	async untilShown(text: string): Promise<void> {
		await this.until(() => this.rows("active").some((row) => row.includes(text)));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.child.kill("SIGKILL");
		await this.child.exited;
		this.child.terminal?.close();
		this.xterm.dispose();
	}

	#emit(): void {
		this.#changed.resolve();
		this.#changed = Promise.withResolvers<void>();
	}
}
