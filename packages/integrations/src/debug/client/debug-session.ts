/**
 * One session with a debug adapter: its breakpoints, and whether its program runs or is stopped. Adapters ask for child
 * sessions, one for each process (js-debug, debugpy): they share the breakpoints and the output, and end with the root.
 */
import { basename } from "node:path";

import type { DebugProtocol } from "@vscode/debugprotocol";
import type { Machine, RunningProgram } from "@tau/sys";
import { abortable, isRecord, isTimeout, log, oneLine, stripControls, withTimeout } from "@tau/utils";

import type { AdapterRow } from "../adapters/adapter-row.ts";
import type { Command } from "../adapters/locate.ts";
import { limits } from "../limits.ts";
import {
	Breakpoints,
	functionBreakpoint,
	noteReport,
	sourceBreakpoint,
	type Breakpoint,
} from "./breakpoints.ts";
import bridge from "./bridge.sh" with { type: "text" };
import { clientFacts, Connection, DapError, records, type RequestOptions } from "./connection.ts";
import { DebuggeeOutput } from "./output.ts";
import { runInTerminal } from "./run-in-terminal.ts";

export type DebuggeeState = "starting" | "running" | "stopped" | "ended";

export interface Stop {
	readonly reason: string;
	readonly threadId: number;
	readonly text?: string;
}

export interface SessionStart {
	readonly id: string;
	/** What is debugged, for the user: a command. */
	readonly label: string;
	readonly row: AdapterRow;
	readonly command: Command;
	readonly cwd: string;
	readonly env: Record<string, string>;
	readonly machine: Machine;
	readonly request: "launch" | "attach";
	readonly configuration: Readonly<Record<string, unknown>>;
	/** It was started in plan mode, inside walls that stay. */
	readonly isReadOnly: boolean;
	/** The session whose adapter asked for this one. */
	readonly parent?: DebugSession;
	/** Called with the root after each change of a state or of breakpoints, also of its children. */
	onChange?(root: DebugSession): void;
}

export class DebugSession implements AsyncDisposable {
	readonly id: string;
	readonly label: string;
	readonly row: AdapterRow;
	readonly isReadOnly: boolean;
	/** The one of the family that the model has last read a report of. */
	reported: DebugSession | undefined;
	readonly breakpoints: Breakpoints;
	readonly output: DebuggeeOutput;
	readonly #start: SessionStart;
	readonly #children = new Set<DebugSession>();
	/** Of this adapter session: another one numbers its own. */
	readonly #numbered = new Map<number, Breakpoint>();
	/** Where its adapter listens, as soon as the bridge has printed it. */
	readonly #address = Promise.withResolvers<Command>();
	readonly #program: RunningProgram;
	readonly #connection: Connection;
	readonly #ended = new AbortController();
	readonly #initialized = Promise.withResolvers<void>();
	readonly #log: string[] = [];
	#capabilities: DebugProtocol.Capabilities = {};
	#state: DebuggeeState = "starting";
	#stop: Stop | undefined;
	#ending: string | undefined;
	#exitCode: number | undefined;
	#changed = Promise.withResolvers<void>();
	#childrenMade = 0;
	#place: string | undefined;
	/** Breakpoints are accepted only after its adapter has said that it is ready. */
	#isReady = false;
	#closing: Promise<void> | undefined;

	/** Starts the adapter; the debuggee starts with `begin`. Rejects with a readable reason. */
	static async open(start: SessionStart): Promise<DebugSession> {
		const { row, command, cwd, env, machine } = start;
		const whole: Command =
			row.tcp || command[0] === "--connect" ? ["bash", "-c", bridge, "bridge", ...command] : command;
		return new DebugSession(start, await machine.shell.start({ command: whole, cwd, env }));
	}

	private constructor(start: SessionStart, program: RunningProgram) {
		this.#start = start;
		this.id = start.id;
		this.label = start.label;
		this.row = start.row;
		this.isReadOnly = start.isReadOnly;
		this.breakpoints = start.parent?.breakpoints ?? new Breakpoints();
		this.output = start.parent?.output ?? new DebuggeeOutput(start.row.noise);
		this.#program = program;
		this.#address.promise.catch(() => {});
		this.#initialized.promise.catch(() => {});
		this.#connection = new Connection(start.row.name, program, {
			onEvent: (event, body) => this.#onEvent(event, isRecord(body) ? body : {}),
			onRequest: async (command, args) => this.#onRequest(command, args),
			onClosed: (reason) => this.#onClosed(reason),
		});
		program.errors.setEncoding("utf8").on("data", (text: string) => this.#note(text));
	}

	get state(): DebuggeeState {
		return this.#state;
	}

	get stop(): Stop | undefined {
		return this.#stop;
	}

	/** Where it stopped, for lists; known as soon as a report has asked for it. */
	get place(): string | undefined {
		return this.#place;
	}

	set place(place: string) {
		this.#place = place;
		this.#announce();
	}

	/** Why it ended, or how. */
	get ending(): string | undefined {
		return this.#ending;
	}

	get capabilities(): DebugProtocol.Capabilities {
		return this.#capabilities;
	}

	/** The session that the model started. */
	get root(): DebugSession {
		return this.#start.parent?.root ?? this;
	}

	/** This one and all sessions below it that have not ended. */
	get family(): DebugSession[] {
		return [this, ...[...this.#children].flatMap((child) => child.family)];
	}

	/** The one of the family that a call means: the reported one while it is stopped, another that is, or the newest. */
	get active(): DebugSession {
		const { family } = this;
		const stopped = family.filter(({ state }) => state === "stopped");
		return stopped.find((each) => each === this.reported) ?? stopped[0] ?? family.at(-1) ?? this;
	}

	/** Starts the debuggee with the breakpoints that are set. */
	async begin(signal: AbortSignal): Promise<void> {
		const { row, request, configuration, parent } = this.#start;
		const starting = { signal, timeoutMs: limits.startMs };
		this.#capabilities = await this.#connection.request("initialize", clientFacts(row.type), starting);
		using deadline = withTimeout(signal, limits.launchMs, "no answer");
		const launch = { signal: deadline.signal, timeoutMs: limits.launchMs };
		const launched = this.#connection.request(
			request,
			{
				name: basename(this.label),
				type: row.type,
				request,
				...configuration,
				...(parent ? row.childConfiguration : row.configuration),
			},
			launch,
		);
		launched.catch(() => {});
		try {
			// Adapters announce that they are ready before or after their answer; a refusal comes instead of it.
			const refused = Promise.withResolvers<never>();
			launched.catch(refused.reject);
			await abortable(Promise.race([this.#initialized.promise, refused.promise]), deadline.signal);
			this.#isReady = true;
			await this.#sendAll(launch);
			if (this.#capabilities.supportsConfigurationDoneRequest)
				await this.#connection.request("configurationDone", {}, launch);
			await launched;
		} catch (error) {
			if (isTimeout(error) && !signal.aborted)
				throw new DapError(`${row.name} has not started the program within ${limits.launchMs / 1000} s.`);
			throw error;
		}
		if (this.#state === "starting") this.#become("running");
	}

	/** Why nothing can be looked at or stepped now. */
	notStopped(): DapError {
		return new DapError(
			this.#state === "ended"
				? `${this.id} has ended: ${this.#ending}.`
				: `${this.id} is running. Pause it, or continue to wait for a stop.`,
		);
	}

	/** Sends a request about the debuggee. */
	async request<R>(command: string, args: unknown, options: RequestOptions): Promise<R> {
		if (this.#state === "ended") throw this.notStopped();
		return this.#connection.request<R>(command, args, options);
	}

	/** A request that lets the debuggee go on. */
	async resume(command: string, args: unknown, options: RequestOptions): Promise<void> {
		const before = this.#stop;
		this.#become("running");
		try {
			await this.request(command, args, options);
		} catch (error) {
			if (this.#state === "running" && before) this.#become("stopped", before);
			throw error;
		}
	}

	/** Waits until one of the family is stopped or this one has ended; false if it still runs after the time. */
	async settled(ms: number, signal: AbortSignal): Promise<boolean> {
		using deadline = withTimeout(signal, ms, "still running");
		try {
			while (this.#state !== "ended" && this.active.state !== "stopped")
				await abortable(this.#changed.promise, deadline.signal);
			// The end of what it wrote may arrive after its end.
			if (this.#state === "ended") await this.#printed();
			return true;
		} catch (error) {
			if (isTimeout(error) && !signal.aborted) return false;
			throw error;
		}
	}

	/** Sends the breakpoints of these files to every session of the family. */
	async sendBreakpoints(files: readonly string[], options: RequestOptions): Promise<void> {
		for (const each of this.root.#listeners()) await each.#sendFiles(files, options);
	}

	async sendFunctions(options: RequestOptions): Promise<void> {
		for (const each of this.root.#listeners()) await each.#sendFunctions(options);
	}

	async sendExceptions(options: RequestOptions): Promise<void> {
		for (const each of this.root.#listeners()) await each.#sendExceptions(options);
	}

	#listeners(): DebugSession[] {
		return this.family.filter((each) => each.#isReady && each.state !== "ended");
	}

	async #sendAll(options: RequestOptions): Promise<void> {
		await this.#sendFiles(this.breakpoints.files, options);
		await this.#sendFunctions(options);
		await this.#sendExceptions(options);
	}

	async #sendFiles(files: readonly string[], options: RequestOptions): Promise<void> {
		for (const path of new Set(files)) {
			const wanted = this.breakpoints.in(path);
			const source = { path, name: basename(path) };
			const args = {
				source,
				breakpoints: wanted.map(sourceBreakpoint),
				lines: wanted.map(({ line }) => line),
			};
			this.#noteAnswer(wanted, await this.request("setBreakpoints", args, options));
		}
	}

	async #sendFunctions(options: RequestOptions): Promise<void> {
		const wanted = this.breakpoints.functions;
		if (!this.#capabilities.supportsFunctionBreakpoints) {
			if (wanted.length > 0) throw new DapError(`${this.row.name} cannot stop at functions.`);
			return;
		}
		const args = { breakpoints: wanted.map(functionBreakpoint) };
		this.#noteAnswer(wanted, await this.request("setFunctionBreakpoints", args, options));
	}

	async #sendExceptions(options: RequestOptions): Promise<void> {
		const offered = records(this.#capabilities.exceptionBreakpointFilters);
		const wanted = this.breakpoints.exceptions;
		const unknown = wanted?.find((name) => !offered.some(({ filter }) => filter === name));
		if (unknown !== undefined) {
			const names = offered.map(({ filter }) => filter).join(", ");
			throw new DapError(`There is no exception filter "${unknown}". There are: ${names || "none"}.`);
		}
		if (offered.length === 0) return;
		const filters = wanted ?? offered.filter((each) => each.default).map(({ filter }) => filter);
		await this.request("setExceptionBreakpoints", { filters }, options);
	}

	#noteAnswer(wanted: readonly Breakpoint[], answer: DebugProtocol.SetBreakpointsResponse["body"]): void {
		const list = records(answer.breakpoints);
		for (const [at, one] of wanted.entries()) {
			const reported = list[at];
			if (!reported) continue;
			if (typeof reported.id === "number") this.#numbered.set(reported.id, one);
			noteReport(one, reported, this.id);
		}
		this.#announce();
	}

	/** Ends the debuggee if Tau started it, and the adapter with all of its processes. */
	async [Symbol.asyncDispose](): Promise<void> {
		await (this.#closing ??= this.#close());
	}

	async #close(): Promise<void> {
		if (this.#connection.closedBy === undefined) {
			const terminateDebuggee = this.#start.request === "launch";
			await this.#connection
				.request(
					"disconnect",
					{ terminateDebuggee },
					{ signal: this.#ended.signal, timeoutMs: limits.stopMs },
				)
				// Whatever it answers, its processes are ended below.
				.catch(() => {});
		}
		this.#finish("it was ended");
		this.#ended.abort();
		await Promise.all([...this.#children].map((child) => child[Symbol.asyncDispose]()));
		// The end of its input ends the adapter. What is still on its way then would be lost with the processes that carry it.
		this.#program.input.end();
		await this.#printed();
		this.#connection.close("it was ended");
		await this.#program[Symbol.asyncDispose]();
		const { parent } = this.#start;
		if (parent) parent.#children.delete(this);
	}

	/** What the program printed has arrived, if that comes with the adapter's own output. */
	async #printed(): Promise<void> {
		if (this.row.printsOutput) await this.#connection.drained(limits.printedMs);
	}

	#onEvent(event: string, body: Record<string, unknown>): void {
		switch (event) {
			case "initialized":
				return this.#initialized.resolve();
			case "capabilities":
				if (isRecord(body.capabilities)) this.#capabilities = { ...this.#capabilities, ...body.capabilities };
				return;
			case "stopped":
				for (const id of Array.isArray(body.hitBreakpointIds) ? body.hitBreakpointIds : []) {
					const one = this.#numbered.get(Number(id));
					if (one) noteReport(one, { verified: true }, this.id);
				}
				return this.#become("stopped", stopOf(body));
			case "continued":
				return this.#become("running");
			case "exited":
				if (typeof body.exitCode === "number") this.#exitCode = body.exitCode;
				return;
			case "terminated":
				this.#finish(this.#exitCode === undefined ? "the program has ended" : `exit code ${this.#exitCode}`);
				return void this[Symbol.asyncDispose]();
			// How debugpy asks for a child session, up to 1.6. Without one, the process waits forever.
			case "debugpyAttach":
				return void this.#startChild({ request: "attach", configuration: body }).catch((error: unknown) =>
					this.output.add(`[${String(error)}]\n`, "console"),
				);
			case "output":
				if (typeof body.output === "string" && body.category !== "telemetry")
					this.output.add(body.output, String(body.category ?? "console"));
				return;
			case "breakpoint": {
				const reported = isRecord(body.breakpoint) ? body.breakpoint : {};
				const one = this.#numbered.get(Number(reported.id));
				if (one && body.reason !== "removed") noteReport(one, reported, this.id);
				this.#announce();
				return;
			}
			default:
		}
	}

	async #onRequest(command: string, args: unknown): Promise<unknown> {
		if (command === "startDebugging") return this.#startChild(isRecord(args) ? args : {});
		if (command !== "runInTerminal") throw new Error(`Tau does not offer ${command}.`);
		const { machine, cwd, env } = this.#start;
		return runInTerminal(args, {
			machine,
			cwd,
			env,
			signal: this.#ended.signal,
			onOutput: (text) => this.output.add(text, "terminal"),
		});
	}

	/** Answers as soon as the child has a connection: what the adapter sends over it may depend on the answer. */
	async #startChild({ request, configuration }: Record<string, unknown>): Promise<object> {
		if (this.root.family.length > limits.children)
			throw new Error(`${limits.children} processes of this program are being debugged already.`);
		const given = isRecord(configuration) ? configuration : {};
		const name = typeof given.name === "string" ? oneLine(stripControls(given.name), limits.valueChars) : "";
		const child = await DebugSession.open({
			...this.#start,
			id: `${this.id}.${++this.#childrenMade}`,
			label: name || this.label,
			request: request === "attach" ? "attach" : "launch",
			configuration: given,
			command: await this.#childCommand(given),
			parent: this,
		});
		if (this.#ended.signal.aborted) {
			await child[Symbol.asyncDispose]();
			throw new Error("The session has ended.");
		}
		this.#children.add(child);
		child.begin(this.#ended.signal).catch(async (error: unknown) => {
			if (!this.#ended.signal.aborted) this.output.add(`[${child.id}: ${String(error)}]\n`, "console");
			await child[Symbol.asyncDispose]();
		});
		return {};
	}

	/** Where the configuration says, at the port of this adapter, or at another adapter of the same kind. */
	async #childCommand({ connect }: Record<string, unknown>): Promise<Command> {
		if (isRecord(connect) && isPort(connect.port)) {
			const host = typeof connect.host === "string" && connect.host !== "" ? connect.host : "127.0.0.1";
			return ["--connect", host, String(connect.port)];
		}
		const { row, command } = this.#start;
		if (command[0] === "--connect" || !row.tcp) return command;
		using deadline = withTimeout(this.#ended.signal, limits.startMs, "no port");
		return abortable(this.#address.promise, deadline.signal);
	}

	#onClosed(reason: string): void {
		// The last line of a stack trace says little.
		const words = this.#log.findLast((line) => /error|exception|fail/i.test(line)) ?? this.#log.at(-1);
		this.#finish(
			words === undefined ? `${this.row.name}: ${reason}` : `${this.row.name}: ${reason} (${words})`,
		);
		this.#initialized.reject(new DapError(`The adapter has ended. ${this.#ending}.`));
		void this[Symbol.asyncDispose]().catch((error: unknown) =>
			log.warn("a debug adapter did not end", { name: this.row.name, reason: String(error) }),
		);
	}

	#finish(ending: string): void {
		if (this.#state === "ended") return;
		this.#ending = ending;
		this.#become("ended");
	}

	#become(state: DebuggeeState, stop?: Stop): void {
		if (this.#state === "ended") return;
		this.#state = state;
		this.#stop = stop;
		this.#place = undefined;
		this.#announce();
	}

	#announce(): void {
		this.#changed.resolve();
		this.#changed = Promise.withResolvers<void>();
		const { parent, onChange } = this.#start;
		if (parent) parent.#announce();
		else onChange?.(this);
	}

	#note(text: string): void {
		const [, host, port] = bridgeAddress.exec(text) ?? [];
		if (host !== undefined && port !== undefined) this.#address.resolve(["--connect", host, port]);
		if (this.row.printsOutput) this.output.add(text.replace(bridgeAddress, ""), "stdout");
		const lines = stripControls(text)
			.split("\n")
			.filter((line) => line.trim() !== "" && !bridgeAddress.test(line));
		this.#log.push(...lines.slice(-limits.logLines).map((line) => oneLine(line, limits.logLineChars)));
		this.#log.splice(0, Math.max(0, this.#log.length - limits.logLines));
	}
}

/** How the bridge says where the adapter listens. */
const bridgeAddress = /^tau-bridge (\S+) (\d+)(?:\n|$)/m;

const isPort = (value: unknown): value is number =>
	typeof value === "number" && Number.isInteger(value) && value > 0 && value < 65_536;

function stopOf(body: Record<string, unknown>): Stop {
	const words = [body.description, body.text].filter((part) => typeof part === "string" && part !== "");
	const text = oneLine(stripControls(words.join(": ")), limits.valueChars);
	return {
		reason: typeof body.reason === "string" ? oneLine(stripControls(body.reason), 40) : "stop",
		threadId: typeof body.threadId === "number" ? body.threadId : 1,
		...(text === "" ? {} : { text }),
	};
}
