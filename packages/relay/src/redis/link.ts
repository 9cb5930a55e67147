/** The connections to one Redis: one for commands, one for what other nodes tell. They come back by themselves. */
import { RedisClient } from "bun";
import { abortable, errorText, withTimeout } from "@tau/utils";

import { limits } from "../limits.ts";
import type { Script } from "./scripts.ts";

export interface LinkEvents {
	onUp(): void;
	onDown(): void;
	/** Another node tells something. */
	onMessage(message: string): void;
	log(line: string): void;
}

class RedisAway extends Error {}

/** Redis being away is no failure, and gives undefined: what was missed is done when it is back. */
export async function unlessAway<T>(action: () => Promise<T>): Promise<T | undefined> {
	try {
		return await action();
	} catch (error) {
		if (error instanceof RedisAway) return undefined;
		throw error;
	}
}

interface Connected {
	readonly commands: RedisClient;
	readonly subscriber: RedisClient;
}

export class RedisLink implements Disposable {
	readonly #url: string;
	readonly #channel: string;
	readonly #events: LinkEvents;
	#connected: Connected | undefined;
	#retrying: Timer | undefined;
	#pinging: Timer | undefined;
	#isDisposed = false;
	#wasReported = false;
	#retryMs: number = limits.redis.retryMs;
	#upAt = 0;

	constructor(url: string, channel: string, events: LinkEvents) {
		this.#url = url;
		this.#channel = channel;
		this.#events = events;
	}

	get isUp(): boolean {
		return this.#connected !== undefined;
	}

	/** The first attempt; later ones are made until one succeeds. */
	async connect(): Promise<void> {
		const options = {
			autoReconnect: false,
			enableOfflineQueue: false,
			connectionTimeout: limits.redis.connectMs,
		};
		const commands = new RedisClient(this.#url, options);
		const subscriber = new RedisClient(this.#url, options);
		const connected = { commands, subscriber };
		try {
			await inTime(Promise.all([commands.connect(), subscriber.connect()]), limits.redis.connectMs);
			const { onMessage } = this.#events;
			await inTime(subscriber.subscribe(this.#channel, onMessage), limits.redis.answerMs);
		} catch (error) {
			closeBoth(connected);
			this.#report(errorText(error));
			return this.#retry();
		}
		if (this.#isDisposed) return closeBoth(connected);
		this.#connected = connected;
		onClose(connected, () => this.#lose(connected, "connection closed"));
		this.#pinging = setInterval(() => void this.#ping(connected), limits.redis.pingMs);
		if (this.#wasReported) this.#events.log("redis is back");
		this.#wasReported = false;
		this.#upAt = Date.now();
		this.#events.onUp();
	}

	/** Rejects with `RedisAway` when it is not there, or does not answer in time. */
	async send(command: string, args: string[] = []): Promise<unknown> {
		const connected = this.#connected;
		if (!connected) throw new RedisAway("Redis is away");
		try {
			return (await connected.commands.send(command, args)) as unknown;
		} catch (error) {
			if (isReply(error) && errorText(error).startsWith("NOSCRIPT")) throw error;
			// A Redis that refuses commands, such as a full one, serves as little as one that is away.
			this.#lose(connected, errorText(error));
			throw new RedisAway("Redis is away", { cause: error });
		}
	}

	/** A Redis that does not answer is lost, and waiting callers fail: a timer for each command costs too much. */
	async #ping(connected: Connected): Promise<void> {
		await inTime(this.send("PING"), limits.redis.answerMs).catch((error: unknown) =>
			this.#lose(connected, errorText(error)),
		);
	}

	async run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
		const rest = [String(keys.length), ...keys, ...args];
		try {
			return await this.send("EVALSHA", [script.hash, ...rest]);
		} catch (error) {
			if (error instanceof RedisAway) throw error;
			// It does not know the script yet, or somebody has emptied its cache.
			return await this.send("EVAL", [script.text, ...rest]);
		}
	}

	[Symbol.dispose](): void {
		this.#isDisposed = true;
		clearTimeout(this.#retrying);
		clearInterval(this.#pinging);
		const connected = this.#connected;
		this.#connected = undefined;
		if (connected) closeBoth(connected);
	}

	/** Both connections are made anew: a node that hears nothing must not believe that nothing happens. */
	#lose(connected: Connected, reason: string): void {
		if (this.#connected !== connected) return;
		this.#connected = undefined;
		clearInterval(this.#pinging);
		closeBoth(connected);
		this.#report(reason);
		this.#events.onDown();
		this.#retry();
	}

	/** Once for each time that it is away. */
	#report(reason: string): void {
		if (this.#isDisposed || this.#wasReported) return;
		this.#wasReported = true;
		this.#events.log(`redis is away (${reason}); rooms go on within this node`);
	}

	#retry(): void {
		if (this.#isDisposed) return;
		clearTimeout(this.#retrying);
		// One that is lost again and again is tried less and less often.
		const isFlapping = Date.now() - this.#upAt < limits.redis.maxRetryMs;
		this.#retryMs = isFlapping ? Math.min(2 * this.#retryMs, limits.redis.maxRetryMs) : limits.redis.retryMs;
		// Nodes that lost it at the same time do not all return at the same time.
		this.#retrying = setTimeout(() => void this.connect(), this.#retryMs * (0.75 + Math.random() / 2));
	}
}

function closeBoth({ commands, subscriber }: Connected): void {
	onClose({ commands, subscriber }, null);
	commands.close();
	subscriber.close();
}

/** Bun's client has one listener, and is no event target. */
function onClose({ commands, subscriber }: Connected, onclose: (() => void) | null): void {
	Object.assign(commands, { onclose });
	Object.assign(subscriber, { onclose });
}

/** An error that Redis answered with, unlike one of the connection. */
function isReply(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ERR_REDIS_SERVER_ERROR";
}

async function inTime<T>(promise: Promise<T>, ms: number): Promise<T> {
	using deadline = withTimeout(undefined, ms, `no answer within ${ms} ms`);
	return await abortable(promise, deadline.signal);
}
