/** A connection to another machine through the user's own OpenSSH: one process that all channels share. */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { abortable, delay, log, temporaryDirectory, withTimeout } from "@tau/utils";

import { startProgram } from "@tau/sys";
import { AskPass, type AskUser } from "./askpass.ts";
import {
	bootstrap,
	Channel,
	channelProgram,
	ConnectionLost,
	inTime,
	type ChannelRequest,
	type ChannelResponse,
} from "./channel.ts";
import { clientWords, masterWords, type ClientOptions } from "./client.ts";
import { endScript, filesSetup, masterEnd, parseFacts, type RemoteFacts } from "./facts.ts";
import type { SshDestination } from "./destination.ts";
import { limits } from "./limits.ts";
import { explained } from "./problems.ts";

/** The environment is that of ssh: the user's agent, home and PATH. */
export interface ConnectionOptions extends ClientOptions {
	/** Asks the user for passwords and about unknown host keys; without it ssh asks nobody, and fails. */
	readonly ask?: AskUser | undefined;
	/** Called when the connection was lost, and when it is there again. */
	readonly onState?: ((state: ConnectionState) => void) | undefined;
}

/** What ssh says when the other machine, or the network, may be back in a moment. */
const passing = /refused|reset|closed by|timed out|unreachable|no route|was lost|kex_exchange|broken pipe/i;

export type ConnectionState = "connecting" | "connected" | "lost" | "closed";

export interface RequestOptions extends Omit<ChannelRequest, "script"> {
	readonly signal?: AbortSignal | undefined;
	/** Takes any time, as a search or a large file may; by default a request has a deadline. */
	readonly isLong?: boolean;
	/** Nothing is lost if it is made twice: it is made again when the connection was lost meanwhile. */
	readonly mayRepeat?: boolean;
	/** What is done there after the response was sent. */
	readonly afterwards?: string;
}

interface Link {
	readonly channels: Member[];
	readonly facts: RemoteFacts;
	readonly control: string;
	readonly waiting: (() => void)[];
}

interface Member {
	readonly channel: Channel;
	readonly pid: number;
}

export class SshConnection implements AsyncDisposable {
	readonly #options: ConnectionOptions;
	readonly #closing = new AbortController();
	readonly #latencies: number[] = [];
	#link: Promise<Link> | undefined;
	#opened: Link | undefined;
	#directory: string | undefined;
	#connections = 0;
	/** The private directory on the other machine, which outlives a lost connection. */
	#room = "";
	#state: ConnectionState = "connecting";

	constructor(options: ConnectionOptions) {
		this.#options = options;
	}

	get name(): string {
		return this.#options.destination.name;
	}

	/** What OpenSSH is given. */
	get host(): string {
		return this.#options.destination.host;
	}

	get state(): ConnectionState {
		return this.#state;
	}

	/** The median of the last round trips in milliseconds; undefined before the first. */
	get latencyMs(): number | undefined {
		return this.#latencies.toSorted((a, b) => a - b)[this.#latencies.length >> 1];
	}

	/** Connects if it is not connected. Rejects with a readable reason. */
	async facts(signal?: AbortSignal): Promise<RemoteFacts> {
		return (await this.#connected(signal)).facts;
	}

	/** Measures one round trip. */
	async ping(signal?: AbortSignal): Promise<number> {
		await this.facts(signal);
		const started = performance.now();
		await this.request("true", { signal });
		const took = performance.now() - started;
		this.#latencies.push(took);
		if (this.#latencies.length > limits.latencies) this.#latencies.shift();
		return took;
	}

	/** Runs one line of shell. Rejects with `ConnectionLost`, the reason of the signal, or the error of `onData`. */
	async request(script: string, options: RequestOptions = {}): Promise<ChannelResponse> {
		if (!options.mayRepeat) return await this.#requestOnce(script, options);
		// Connecting has attempts of its own.
		await this.#connected(options.signal);
		try {
			return await this.#requestOnce(script, options);
		} catch (error) {
			if (!(error instanceof ConnectionLost) || this.#closing.signal.aborted) throw error;
			return await this.#requestOnce(script, options);
		}
	}

	async #requestOnce(
		script: string,
		{ signal, isLong, mayRepeat: _, afterwards, ...rest }: RequestOptions,
	): Promise<ChannelResponse> {
		const link = await this.#connected(signal);
		const member = await this.#free(link, signal);
		const work = member.channel.request({
			...rest,
			script: `{ ${script}; }; printf "%s %s\\n" "$__tau_n" "$?"${afterwards === undefined ? "" : `; ${afterwards}`}`,
		});
		try {
			return await (isLong ? abortable(work, signal) : inTime(work, signal));
		} catch (error) {
			if (!(error instanceof ConnectionLost)) await this.#stopRequest(link, member, work);
			throw error;
		} finally {
			link.waiting.shift()?.();
		}
	}

	/** A shell of its own on the same connection. Its program is sent first; resolves when that has answered. */
	async openShell(
		shell: string,
		program: (word: string) => string,
		signal: AbortSignal,
	): Promise<{ channel: Channel; response: ChannelResponse }> {
		const link = await this.#connected(signal);
		return await this.#openChannel(link.control, bootstrap(shell), program, signal);
	}

	/** The words of a local command that runs a command on the other machine, over this connection. */
	async clientCommand(signal: AbortSignal | undefined, ...more: string[]): Promise<string[]> {
		return clientWords(this.#options, (await this.#connected(signal)).control, more);
	}

	get environment(): Record<string, string> {
		const entries = Object.entries(this.#options.env);
		return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
	}

	/** Ends processes on the other machine, with everything below them; asks first, then kills. */
	async killTree(pid: number, isWhole: boolean): Promise<void> {
		// The user waits for it, and has stopped waiting for the connection.
		await this.facts(AbortSignal.timeout(limits.abortMs));
		const list = async (): Promise<number[]> => {
			const { output } = await this.request("ps -A -o pid= -o ppid= 2>/dev/null || ps -o pid,ppid");
			return descendants(output.toString(), pid);
		};
		const targets = [...(await list()), ...(isWhole ? [pid] : [])];
		if (targets.length === 0) return;
		const all = targets.join(" ");
		const script = `kill -TERM ${all} 2>/dev/null; sleep 0.1 2>/dev/null || sleep 1; kill -KILL ${all} 2>/dev/null; true`;
		await this.request(script);
	}

	/** Connects again after the connection was lost, for as long as the other side keeps what was running. */
	async reconnect(signal: AbortSignal): Promise<void> {
		const end = Date.now() + limits.keptSeconds * 1000;
		for (let wait: number = limits.retryMs; ; wait = Math.min(wait * 2, limits.mostRetryMs)) {
			try {
				await this.facts(signal);
				return;
			} catch (error) {
				signal.throwIfAborted();
				if (Date.now() + wait > end) throw error;
			}
			await delay(wait, signal);
		}
	}

	/** Ends everything that runs there, and the connection. */
	async [Symbol.asyncDispose](): Promise<void> {
		const link = await this.#link?.catch(() => undefined);
		if (link && !this.#closing.signal.aborted) {
			const signal = AbortSignal.timeout(limits.abortMs);
			if (this.#opened) await this.request(endScript, { signal }).catch(() => {});
		}
		this.#closing.abort(new ConnectionLost(`The connection to ${this.name} was closed.`));
		this.#setState("closed");
		for (const { channel } of link?.channels.toReversed() ?? []) await channel[Symbol.asyncDispose]();
		if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
		this.#directory = undefined;
	}

	async #connected(signal: AbortSignal | undefined): Promise<Link> {
		if (this.#closing.signal.aborted) throw new ConnectionLost(`The session on ${this.name} has ended.`);
		if (!this.#link) {
			const link = this.#room === "" ? this.#open() : this.#openAgain();
			this.#link = link;
			link.catch(() => {
				if (this.#link === link) this.#link = undefined;
			});
		}
		return await abortable(this.#link, signal);
	}

	/** A server that restarts refuses connections for a moment. */
	async #openAgain(): Promise<Link> {
		let wait: number = limits.retryMs;
		for (let tries = 1; ; tries++, wait *= 2) {
			try {
				return await this.#open();
			} catch (error) {
				const reason = error instanceof Error ? error.message : String(error);
				if (tries >= limits.reconnects || !passing.test(reason)) throw error;
			}
			await delay(wait, this.#closing.signal);
		}
	}

	async #open(): Promise<Link> {
		using deadline = withTimeout(
			this.#closing.signal,
			limits.connectMs,
			`${this.name} did not answer within ${limits.connectMs / 1000} s.`,
		);
		const directory = (this.#directory ??= controlDirectory());
		// A socket of a master that was killed may still be there.
		const control = join(directory, `c${++this.#connections}`);
		await using askpass = AskPass.start(directory, this.#options.ask);
		const asks = this.#options.ask !== undefined;
		const words = masterWords(this.#options, { control, asks, command: bootstrap("sh") });
		const [program = "", ...args] = words;
		const environment = { ...this.environment, ...askpass.variables };
		const running = await startProgram({ command: [program, ...args], cwd: "/", env: environment });
		const channel = new Channel(running);
		try {
			const id = randomBytes(8).toString("hex");
			const setup = (word: string): string =>
				channelProgram(`${filesSetup({ room: this.#room, id })}; ${factsOf(word)}`, masterEnd(id));
			const response = await channel.begin(setup, deadline.signal);
			const facts = parseFacts(response.output.toString("utf8"), response.rest);
			this.#room = facts.room;
			const link = { channels: [{ channel, pid: facts.pid }], facts, control, waiting: [] };
			this.#opened = link;
			this.#setState("connected");
			void channel.ended.then(() => this.#lose(link));
			return link;
		} catch (error) {
			await channel.kill();
			throw connectError(this.#options.destination, error);
		}
	}

	#lose(link: Link): void {
		if (this.#opened !== link) return;
		this.#opened = undefined;
		this.#link = undefined;
		for (const { channel } of link.channels) void channel.kill();
		for (const wake of link.waiting.splice(0)) wake();
		if (!this.#closing.signal.aborted) this.#setState("lost");
	}

	#setState(state: ConnectionState): void {
		if (this.#state === state) return;
		this.#state = state;
		log.debug("the state of an ssh connection has changed", { host: this.name, state });
		this.#options.onState?.(state);
	}

	/** A free channel; another one is opened while there are few. */
	async #free(link: Link, signal: AbortSignal | undefined): Promise<Member> {
		for (;;) {
			if (link !== this.#opened) throw new ConnectionLost(`The connection to ${this.name} was lost.`);
			const free = link.channels.find(({ channel }) => channel.isFree);
			if (free) return free;
			const living = link.channels.filter(({ channel }) => !channel.isGone);
			link.channels.splice(0, link.channels.length, ...living);
			if (living.length < limits.channels) {
				const setup = (word: string): string =>
					channelProgram(
						`${filesSetup({ room: link.facts.room, id: "" })}; printf "%s 0 %s\\n" ${word} $$`,
						"true",
					);
				const limit = signal ?? this.#closing.signal;
				const { channel, response } = await this.#openChannel(link.control, bootstrap("sh"), setup, limit);
				const member = { channel, pid: Number(response.rest) };
				link.channels.push(member);
				// Another request may have taken it while this one waited.
				if (channel.isFree) return member;
				continue;
			}
			const woken = Promise.withResolvers<void>();
			link.waiting.push(woken.resolve);
			await abortable(woken.promise, signal);
		}
	}

	async #openChannel(
		control: string,
		command: string,
		program: (word: string) => string,
		signal: AbortSignal,
	): Promise<{ channel: Channel; response: ChannelResponse }> {
		const words = clientWords(this.#options, control, ["-T", "--", this.host, command]);
		const [name = "", ...args] = words;
		const running = await startProgram({ command: [name, ...args], cwd: "/", env: this.environment });
		const channel = new Channel(running);
		using deadline = withTimeout(signal, limits.requestMs, `${this.name} does not respond.`);
		try {
			return { channel, response: await channel.begin(program, deadline.signal) };
		} catch (error) {
			await channel.kill();
			throw error;
		}
	}

	/** The shell of the channel continues when what it waits for was killed. */
	async #stopRequest(link: Link, { channel, pid }: Member, work: Promise<unknown>): Promise<void> {
		if (channel.isFree || this.#opened !== link) return;
		const stopped = Promise.all([this.killTree(pid, false), work.catch(() => {})]);
		try {
			await abortable(stopped, AbortSignal.timeout(limits.abortMs));
		} catch {
			await channel.kill();
		}
	}
}

function factsOf(word: string): string {
	const programs = `for k in rg git bash perl; do if command -v $k >/dev/null 2>&1; then printf "%s " $k; fi; done`;
	const facts = `printf "%s\\0" "" "$d" "$HOME" "$(id -u)" "$(id -g)" "$u" "$f" "$(uname -s)"`;
	return `${facts}; ${programs}; printf "\\0%s 0 %s\\n" ${word} $$`;
}

/** The path of a socket has at most 104 bytes, and ssh appends 17 while it creates it. */
function controlDirectory(): string {
	return temporaryDirectory("ssh", tmpdir().length > 40 ? "/tmp" : tmpdir());
}

function connectError({ name, host, user, port }: SshDestination, error: unknown): Error {
	const reason = error instanceof Error ? error.message : String(error);
	const target = `${port === undefined ? "" : `-p ${port} `}${user === undefined ? "" : `${user}@`}${host}`;
	return new ConnectionLost(`Cannot connect to ${name}: ${explained(reason, target)}`, { cause: error });
}

/** All processes below one, as `ps` lists them with their parents. */
function descendants(listing: string, root: number): number[] {
	const children = new Map<number, number[]>();
	for (const line of listing.split("\n")) {
		const [, pid, parent] = /^\s*(\d+)\s+(\d+)\s*$/.exec(line) ?? [];
		if (pid === undefined || parent === undefined) continue;
		const siblings = children.get(Number(parent)) ?? [];
		siblings.push(Number(pid));
		children.set(Number(parent), siblings);
	}
	const found: number[] = [];
	for (const queue = [root]; queue.length > 0;) {
		for (const child of children.get(queue.shift() ?? 0) ?? []) {
			if (found.includes(child)) continue;
			found.push(child);
			queue.push(child);
		}
	}
	return found;
}
