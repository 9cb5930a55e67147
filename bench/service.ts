/** A server in a process of its own, and what it takes of the machine. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The compiled program, as users have it. */
export const tau = join(import.meta.dir, "../tau");

/** It says where it listens. */
export class Service implements AsyncDisposable {
	readonly url: string;
	readonly #process: Bun.Subprocess;

	private constructor(running: Bun.Subprocess, url: string) {
		this.#process = running;
		this.url = url;
	}

	static async start(command: string[], env: Record<string, string>): Promise<Service> {
		const running = Bun.spawn(command, { env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
		let text = "";
		for await (const chunk of running.stderr) {
			text += new TextDecoder().decode(chunk);
			const url = /http:\/\/[\d.]+:\d+/.exec(text)?.[0];
			if (url) return new Service(running, url);
		}
		throw new Error(`It did not start: ${text}`);
	}

	get pid(): number {
		return this.#process.pid;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#process.kill("SIGKILL");
		await this.#process.exited;
	}
}

export function rssMb(pid: number): number {
	return statusMb(pid, "VmRSS");
}

/** Without pages of the program's file: the kernel shares them between processes, and takes them back when it needs to. */
export function ownMb(pid: number): number {
	return statusMb(pid, "RssAnon");
}

function statusMb(pid: number, name: string): number {
	const status = readFileSync(`/proc/${pid}/status`, "utf8");
	return Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1024;
}

/** User and system time of a process with the threads that have ended; Linux counts in hundredths. */
export function cpuSeconds(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return (Number(fields[11]) + Number(fields[12])) / 100;
}
