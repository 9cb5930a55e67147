/** Tells the browsers that have asked for it that something waits, through the push services of their vendors. */
import type { webcrypto } from "node:crypto";
import { join } from "node:path";

import { dirs, isRecord, log, once, readSecretFile, writeSecretFile } from "@tau/utils";

import { encryptFor } from "./encrypt.ts";

const limits = {
	/** Browsers that are told; the oldest is forgotten. */
	subscriptions: 32,
	fileBytes: 256 * 1024,
	/** An address of a push service. */
	endpointChars: 2000,
	/** How long a push service may take. */
	sendMs: 10_000,
	/** How long it keeps a message for a browser that is away, in seconds. */
	keepSeconds: 60 * 60,
	/** How long a signature is valid; services accept a day at most. */
	signatureSeconds: 12 * 60 * 60,
} as const;

const signing = { name: "ECDSA", namedCurve: "P-256" } as const;
/** Whom a push service may ask; it has to be an address. */
const subject = "https://github.com/tau-agent/tau";

/** What a message says: what kind of thing waits, and in which session or task of the fleet. Nothing of its content. */
export type PushMessage =
	| { readonly kind: "waiting" | "ended"; readonly session: string }
	| { readonly kind: "waiting"; readonly task: string };

interface Subscription {
	readonly endpoint: string;
	readonly p256dh: string;
	readonly auth: string;
}

interface Stored {
	readonly key: webcrypto.JsonWebKey;
	readonly subscriptions: readonly Subscription[];
}

export interface PusherOptions {
	file?: string;
	/** How a push service is reached. */
	send?(url: string, init: RequestInit): Promise<Response>;
}

export class Pusher {
	readonly #file: string;
	readonly #send: NonNullable<PusherOptions["send"]>;
	readonly #stored = once(() => this.#open());
	#subscriptions: readonly Subscription[] = [];
	/** Known once the file was read. */
	#count: number | undefined;

	constructor({ file = join(dirs().state, "web", "push.json"), send = fetch }: PusherOptions = {}) {
		this.#file = file;
		this.#send = send;
	}

	/** Whether anybody wants to be told. */
	async isWanted(): Promise<boolean> {
		await this.#stored();
		return (this.#count ?? 0) > 0;
	}

	/** By which browsers recognize us, for `applicationServerKey`. */
	async publicKey(): Promise<string> {
		const { key } = await this.#stored();
		return encoded(pointOf(key));
	}

	/** Takes what a browser gives as its subscription. Throws the reason if it is none. */
	async add(value: unknown): Promise<void> {
		const subscription = readSubscription(value);
		if (!subscription) throw new Error("This is not a push subscription.");
		await this.#stored();
		const others = this.#subscriptions.filter(({ endpoint }) => endpoint !== subscription.endpoint);
		await this.#replace([...others, subscription].slice(-limits.subscriptions));
	}

	async remove(endpoint: string): Promise<void> {
		await this.#stored();
		await this.#replace(this.#subscriptions.filter((each) => each.endpoint !== endpoint));
	}

	/** A browser that is gone is forgotten; any other failure costs one message. */
	async send(message: PushMessage): Promise<void> {
		await this.#stored();
		const outcomes = await Promise.all(this.#subscriptions.map((to) => this.#sendOne(to, message)));
		const gone = new Set(outcomes.filter((endpoint) => endpoint !== undefined));
		if (gone.size > 0) await this.#replace(this.#subscriptions.filter(({ endpoint }) => !gone.has(endpoint)));
	}

	/** Returns the address of a browser that does not want it any more. */
	async #sendOne(to: Subscription, message: PushMessage): Promise<string | undefined> {
		try {
			const keys = { p256dh: decoded(to.p256dh), auth: decoded(to.auth) };
			const body = await encryptFor(keys, JSON.stringify(message));
			const response = await this.#send(to.endpoint, {
				method: "POST",
				headers: {
					authorization: await this.#signature(to.endpoint),
					"content-encoding": "aes128gcm",
					"content-type": "application/octet-stream",
					ttl: String(limits.keepSeconds),
					urgency: message.kind === "waiting" ? "high" : "normal",
				},
				body,
				redirect: "error",
				signal: AbortSignal.timeout(limits.sendMs),
			});
			await response.body?.cancel();
			if (response.status === 404 || response.status === 410) return to.endpoint;
			if (!response.ok) log.warn("a push service refused a message", { status: response.status });
		} catch (error) {
			log.warn("a push service could not be reached", { reason: String(error) });
		}
		return undefined;
	}

	/** VAPID (RFC 8292): says who sends, for this service alone. */
	async #signature(endpoint: string): Promise<string> {
		const { key } = await this.#stored();
		const exp = Math.floor(Date.now() / 1000) + limits.signatureSeconds;
		const claims = { aud: new URL(endpoint).origin, exp, sub: subject };
		const unsigned = [{ typ: "JWT", alg: "ES256" }, claims].map((part) =>
			encoded(new TextEncoder().encode(JSON.stringify(part))),
		);
		const signer = await crypto.subtle.importKey("jwk", key, signing, false, ["sign"]);
		const bytes = new TextEncoder().encode(unsigned.join("."));
		const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, signer, bytes);
		const token = [...unsigned, encoded(new Uint8Array(signature))].join(".");
		return `vapid t=${token}, k=${encoded(pointOf(key))}`;
	}

	async #open(): Promise<Pick<Stored, "key">> {
		const stored = readStored(this.#file);
		this.#subscriptions = stored?.subscriptions ?? [];
		this.#count = this.#subscriptions.length;
		return { key: stored?.key ?? (await freshKey()) };
	}

	async #replace(subscriptions: readonly Subscription[]): Promise<void> {
		const { key } = await this.#stored();
		this.#subscriptions = subscriptions;
		this.#count = subscriptions.length;
		try {
			writeSecretFile(this.#file, JSON.stringify({ key, subscriptions } satisfies Stored));
		} catch (error) {
			log.warn("push subscriptions were not recorded", { reason: String(error) });
		}
	}
}

async function freshKey(): Promise<webcrypto.JsonWebKey> {
	const { privateKey } = await crypto.subtle.generateKey(signing, true, ["sign"]);
	return await crypto.subtle.exportKey("jwk", privateKey);
}

/** Undefined where there is none yet, or it cannot be used: then browsers subscribe anew. */
function readStored(file: string): Stored | undefined {
	try {
		const text = readSecretFile(file, limits.fileBytes)?.toString("utf8");
		const value: unknown = text === undefined ? undefined : JSON.parse(text);
		if (!isRecord(value) || !isRecord(value.key) || !Array.isArray(value.subscriptions)) return undefined;
		const subscriptions = value.subscriptions.filter(isSubscription).slice(-limits.subscriptions);
		return { key: value.key, subscriptions };
	} catch (error) {
		log.warn("push subscriptions could not be read", { reason: String(error) });
		return undefined;
	}
}

function isSubscription(value: unknown): value is Subscription {
	if (!isRecord(value)) return false;
	return [value.endpoint, value.p256dh, value.auth].every((each) => typeof each === "string");
}

/** The address is the browser's choice: it has to be one of the Internet, and never one of this machine. */
function readSubscription(value: unknown): Subscription | undefined {
	if (!isRecord(value) || !isRecord(value.keys) || typeof value.endpoint !== "string") return undefined;
	const { p256dh, auth } = value.keys;
	if (typeof p256dh !== "string" || typeof auth !== "string") return undefined;
	if (value.endpoint.length > limits.endpointChars || !URL.canParse(value.endpoint)) return undefined;
	const { protocol, hostname, port } = new URL(value.endpoint);
	const isNamed =
		/^[a-z\d-]+(\.[a-z\d-]+)*\.[a-z]{2,}$/i.test(hostname) &&
		!/\.(?:local|localhost|internal)$/i.test(hostname);
	if (protocol !== "https:" || port !== "" || !isNamed) return undefined;
	if (decoded(p256dh).length !== 65 || decoded(auth).length !== 16) return undefined;
	return { endpoint: value.endpoint, p256dh, auth };
}

/** The public key of a pair as one uncompressed point. */
function pointOf({ x = "", y = "" }: webcrypto.JsonWebKey): Uint8Array<ArrayBuffer> {
	return new Uint8Array([4, ...decoded(x), ...decoded(y)]);
}

function encoded(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString("base64url");
}

function decoded(text: string): Uint8Array<ArrayBuffer> {
	return new Uint8Array(Buffer.from(text, "base64url"));
}
