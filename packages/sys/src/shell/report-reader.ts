/** Reads what the bash of a session tells: texts that are each closed by a NUL. */

export type BashReport =
	| { type: "ready" | "kept" }
	/** `cwd` is where the command ended, `home` where the next one begins. */
	| { type: "ended"; status: number; cwd: string; home: string };

const fieldsAfter: Record<string, number> = { ready: 0, kept: 0, ended: 3 };

export class ReportReader {
	readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	#rest = "";
	#fields: string[] = [];

	/** Throws when it is told what no loop of ours says. */
	push(chunk: Uint8Array): BashReport[] {
		const texts = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\0");
		this.#rest = texts.pop() ?? "";
		this.#fields.push(...texts);
		const reports: BashReport[] = [];
		for (let report = this.#take(); report; report = this.#take()) reports.push(report);
		return reports;
	}

	#take(): BashReport | undefined {
		const [type] = this.#fields;
		if (type === undefined) return undefined;
		const count = fieldsAfter[type];
		if (count === undefined) throw new Error(`Unexpected report from the session's shell: ${type}`);
		if (this.#fields.length <= count) return undefined;
		const [, status, cwd = "", home = ""] = this.#fields.splice(0, count + 1);
		if (type !== "ended") return { type: type === "ready" ? "ready" : "kept" };
		return { type, status: Number(status), cwd: pathOf(cwd), home: pathOf(home) };
	}
}

/** `pwd` closes the path with a newline, and a path may end in one. */
function pathOf(printed: string): string {
	return printed.endsWith("\n") ? printed.slice(0, -1) : printed;
}
