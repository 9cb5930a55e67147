/** A pane of a real tmux on its own server. */

/** Each look starts a program. */
const pollMs = 50;

export class Tmux implements Disposable {
	/** A separate server, so that the user's settings and sessions are not touched. */
	readonly #server = `tau-test-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;

	/** Several words are run directly, without the user's shell. */
	constructor(columns: number, rows: number, command: readonly string[], cwd: string = import.meta.dir) {
		const size = ["-x", String(columns), "-y", String(rows)];
		this.#run("-f", "/dev/null", "new-session", "-d", ...size, "-c", cwd, ...command);
	}

	keys(keys: string): void {
		this.#run("send-keys", "-l", keys);
	}

	/** Keys by tmux's names: `Enter`, `C-o`, `Escape`. */
	press(...names: string[]): void {
		this.#run("send-keys", ...names);
	}

	resize(columns: number, rows: number): void {
		this.#run("resize-window", "-x", String(columns), "-y", String(rows));
	}

	/** History and screen; lines that tmux wrapped are joined again. */
	rows(): string[] {
		return this.#run("capture-pane", "-p", "-J", "-S", "-")
			.split("\n")
			.map((row) => row.trimEnd());
	}

	/** tmux does not report when a pane changes, so this polls. */
	async until(condition: (rows: string[]) => boolean): Promise<string[]> {
		for (;;) {
			const rows = this.rows();
			if (condition(rows)) return rows;
			await Bun.sleep(pollMs);
		}
	}

	[Symbol.dispose](): void {
		this.#run("kill-server");
	}

	#run(...args: string[]): string {
		const { stdout, stderr, success } = Bun.spawnSync(["tmux", "-L", this.#server, ...args]);
		if (!success) throw new Error(`tmux ${args.join(" ")}: ${stderr.toString()}`);
		return stdout.toString();
	}
}
