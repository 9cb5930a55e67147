/** Notices the servers that commands start in the sandbox, and offers them to the user. */
import type { AgentToolResult } from "@tau/agent";
import { log, oneLine, onDispose, timer } from "@tau/utils";

import type { ToolEnv } from "../tool/env.ts";
import type { ServiceKey } from "../tool/services.ts";
import type { CommandRun } from "./command-run.ts";
import { limits } from "./limits.ts";
import { withNote } from "./report.ts";

/** A server in the sandbox that the user reaches. */
interface OpenPort {
	readonly port: number;
	/** On this machine: `127.0.0.1:3000`. */
	readonly address: string;
	readonly label: string;
	readonly run: CommandRun;
}

export const portsService: ServiceKey<PortWatch> = {
	name: "ports",
	create: (env) => new PortWatch(env),
};

export class PortWatch implements Disposable {
	readonly #env: Pick<ToolEnv, "sandbox" | "session">;
	/** Commands that run now or have just left a server behind, with the number of those who watch each. */
	readonly #runs = new Map<CommandRun, number>();
	readonly #leaving = new Set<Disposable>();
	/** Ports that were seen once: a server of a test is gone at the next look. */
	readonly #seen = new Set<number>();
	readonly #open = new Map<number, OpenPort>();
	/** What the model does not know yet. */
	#notes: string[] = [];
	#next: Disposable | undefined;
	#pauseMs: number = limits.firstLookMs;
	#isLooking = false;
	/** Offers without an answer. */
	#questions = 0;
	#isClosed = false;
	/** The job of a command, for events; set by the jobs. */
	jobOf: (run: CommandRun) => string | undefined = () => undefined;

	constructor(env: Pick<ToolEnv, "sandbox" | "session">) {
		this.#env = env;
	}

	/** Looks at growing intervals until the result is disposed of; never at a command that ends within the first one. */
	watch(run: CommandRun): Disposable {
		if (!this.#env.sandbox?.ports) return new DisposableStack();
		this.#runs.set(run, (this.#runs.get(run) ?? 0) + 1);
		this.#pauseMs = limits.firstLookMs;
		this.#plan();
		return onDispose(() => this.#left(run));
	}

	/** All servers that the user reaches. */
	get open(): OpenPort[] {
		return [...this.#open.values()];
	}

	/** The servers of a command that the user reaches. */
	openOf(run: CommandRun): OpenPort[] {
		return this.open.filter((each) => each.run === run);
	}

	/** What the next result tells the model. */
	takeNotes(): string[] {
		const notes = this.#notes;
		this.#notes = [];
		return notes;
	}

	[Symbol.dispose](): void {
		this.#isClosed = true;
		for (const each of [this.#next, ...this.#leaving]) each?.[Symbol.dispose]();
	}

	#left(run: CommandRun): void {
		// A server that it has started in the background comes up a moment later.
		if (!leavesProcesses.test(run.options.command) || this.#isClosed) return this.#end(run);
		this.#pauseMs = limits.firstLookMs;
		this.#plan();
		const leaving = timer(limits.leftMs, () => {
			this.#leaving.delete(leaving);
			this.#end(run);
		});
		this.#leaving.add(leaving);
	}

	#end(run: CommandRun): void {
		const others = (this.#runs.get(run) ?? 1) - 1;
		if (others > 0) this.#runs.set(run, others);
		else this.#runs.delete(run);
		if (this.#open.size > 0) void this.#look();
		if (this.#runs.size === 0) this.#next?.[Symbol.dispose]();
	}

	#plan(): void {
		this.#next?.[Symbol.dispose]();
		if (this.#isClosed || this.#runs.size === 0) return;
		this.#next = timer(this.#pauseMs, () => {
			this.#pauseMs = Math.min(this.#pauseMs * 2, limits.lastLookMs);
			void this.#look().then(() => this.#plan());
		});
	}

	async #look(): Promise<void> {
		const ports = this.#env.sandbox?.ports;
		if (!ports || this.#isLooking) return;
		this.#isLooking = true;
		try {
			for (const { port } of await ports.closeUnused()) await this.#closed(port);
			for (const port of await ports.fresh()) {
				const run = this.#ownerOf(port);
				const isNamed = run !== undefined && names(run, port);
				const isOffered = isNamed || (port < limits.firstPassingPort && this.#seen.has(port));
				if (this.#seen.size < limits.seenPorts) this.#seen.add(port);
				// The user may take any time to answer; further ports wait for a later look.
				if (isOffered && run && this.#questions < limits.portQuestions) void this.#offer(port, run);
			}
		} catch (error) {
			log.warn("ports of the sandbox were not looked at", { reason: String(error) });
		} finally {
			this.#isLooking = false;
		}
	}

	/** The newest command that names the port, or else the newest one. */
	#ownerOf(port: number): CommandRun | undefined {
		const all = [...this.#runs.keys()].toReversed();
		return all.find((run) => names(run, port)) ?? all[0];
	}

	async #offer(port: number, run: CommandRun): Promise<void> {
		const label = oneLine(run.options.command, limits.labelChars);
		this.#questions++;
		try {
			const published = await this.#env.sandbox?.ports?.offer(port, label);
			if (!published) return this.#note(unreachable(port));
			const address = `127.0.0.1:${published.hostPort}`;
			this.#open.set(port, { port, address, label, run });
			this.#note(`[Port ${port} is reachable for the user at http://${address}.]`);
			await this.#emit({ port, address, label, run }, "open");
			const other = published.hostPort === port ? "" : ` (port ${port} is taken here)`;
			const message = `Port ${port} is reachable at http://${address}${other}`;
			await this.#env.session.emit({ type: "notice", level: "info", message });
		} catch (error) {
			log.warn("a port of the sandbox was not published", { port, reason: String(error) });
			this.#note(unreachable(port));
		} finally {
			this.#questions--;
		}
	}

	async #closed(port: number): Promise<void> {
		const known = this.#open.get(port);
		this.#open.delete(port);
		if (known) await this.#emit(known, "closed");
	}

	async #emit({ port, address, label, run }: OpenPort, state: "open" | "closed"): Promise<void> {
		const jobId = this.jobOf(run);
		const job = jobId === undefined ? {} : { jobId };
		await this.#env.session.emit({ type: "port_update", port, address, label, state, ...job });
	}

	#note(text: string): void {
		if (this.#notes.length < limits.portNotes) this.#notes.push(text);
	}
}

function unreachable(port: number): string {
	return `[Port ${port} is reachable for commands and the browser tool, not for the user: the sandbox has a loopback of its own.]`;
}

/** A single `&`, or a program that leaves its child behind. */
const leavesProcesses = /(?:^|[^&>|])&(?![&>])|\b(?:nohup|setsid|daemonize|start-stop-daemon|pm2)\b/;

/** Whether the command or what it has printed contains the number. */
function names({ options, output }: CommandRun, port: number): boolean {
	const number = new RegExp(`(?<!\\d)${port}(?!\\d)`);
	return number.test(options.command) || number.test(output.live());
}

/** A result that tells the model about ports that were opened meanwhile. */
export function withPorts(result: AgentToolResult, watch: PortWatch): AgentToolResult {
	const notes = watch.takeNotes();
	return notes.length === 0 ? result : { ...withNote(result, notes.join("\n"), {}), useless: false };
}
