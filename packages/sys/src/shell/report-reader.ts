/** Parses the reports of a session's bash: texts that are each ended by a NUL. */

export type BashReport =
	/** `lost`: the order or its pipe is gone, and nothing has run. */
	| { type: "ready" | "kept" | "lost" }
	/** `cwd` is where the command ended, `home` where the next one starts; it is sent empty if that is the same. */
	| { type: "ended"; status: number; cwd: string; home: string };

const fieldsAfter: Record<string, number> = { ready: 0, kept: 0, lost: 0, ended: 3 };

export class ReportReader {
	readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	#rest = "";
	#fields: string[] = [];

	/** Throws for a report that our program never sends. */
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
		if (count === undefined) throw new Error(`Unexpected report from the shell of the session: ${type}`);
		if (this.#fields.length <= count) return undefined;
		const [, status, cwd = "", home = ""] = this.#fields.splice(0, count + 1);
		if (type === "ready" || type === "kept" || type === "lost") return { type };
		return { type: "ended", status: Number(status), cwd: pathOf(cwd), home: pathOf(home || cwd) };
	}
}

/** `pwd` ends the path with a newline, and a path may itself end in one. */
function pathOf(printed: string): string {
	return printed.endsWith("\n") ? printed.slice(0, -1) : printed;
}
