/** Who is let in: one-time tokens of links, and the browsers that have shown one. */
import { timingSafeEqual } from "node:crypto";
import { join } from "node:path";

import { dirs, isRecord, log, readSecretFile, writeSecretFile } from "@tau/utils";

import { limits } from "./limits.ts";

const fileBytes = 64 * 1024;
const dayMs = 24 * 60 * 60_000;

/**
 * What a browser has: the cookie, which scripts cannot read, and the key, which it keeps for the exact origin. Cookies
 * of a host are sent to all of its ports, also to a server that the model has started there; the key is not.
 */
export interface Credentials {
	readonly cookie: string;
	readonly key: string;
}

/** Only hashes are kept. */
interface Login {
	readonly cookie: string;
	readonly key: string;
	seenAt: number;
}

export class Logins {
	readonly #file: string;
	readonly #tokens = new Map<string, number>();
	#logins: Login[];

	constructor(file: string = join(dirs().state, "web", "logins.json")) {
		this.#file = file;
		this.#logins = readLogins(file);
	}

	/** The browsers that are let in. */
	get size(): number {
		return this.#logins.length;
	}

	/** A token for one link. */
	invite(): string {
		const token = secret();
		this.#tokens.set(hashOf(token), Date.now() + limits.tokenMs);
		for (const oldest of this.#tokens.keys()) {
			if (this.#tokens.size <= limits.tokens) break;
			this.#tokens.delete(oldest);
		}
		return token;
	}

	/** Takes the token of a link, which is worth nothing afterwards. Undefined if it is unknown, used or too old. */
	redeem(token: string): Credentials | undefined {
		const hash = hashOf(token);
		const known = [...this.#tokens.keys()].find((each) => isSame(each, hash));
		const until = known === undefined ? undefined : this.#tokens.get(known);
		if (known === undefined || until === undefined) return undefined;
		this.#tokens.delete(known);
		if (until < Date.now()) return undefined;
		const credentials = { cookie: secret(), key: secret() };
		this.#logins.push({
			cookie: hashOf(credentials.cookie),
			key: hashOf(credentials.key),
			seenAt: Date.now(),
		});
		this.#write();
		return credentials;
	}

	/** Whether a browser with this cookie was let in, whatever key it has. */
	hasCookie(cookie: string | undefined): boolean {
		return cookie !== undefined && this.#find(cookie) !== undefined;
	}

	isKnown(cookie: string | undefined, key: string | undefined): boolean {
		if (cookie === undefined || key === undefined) return false;
		const login = this.#find(cookie);
		if (!login || !isSame(login.key, hashOf(key))) return false;
		const now = Date.now();
		if (now - login.seenAt > limits.seenMs) {
			login.seenAt = now;
			this.#write();
		}
		return true;
	}

	forget(cookie: string | undefined): void {
		const login = cookie === undefined ? undefined : this.#find(cookie);
		this.#logins = this.#logins.filter((each) => each !== login);
		this.#write();
	}

	/** Every browser, and every link that was not opened. */
	forgetAll(): void {
		this.#tokens.clear();
		this.#logins = [];
		this.#write();
	}

	#find(cookie: string): Login | undefined {
		const hash = hashOf(cookie);
		const oldest = Date.now() - limits.loginDays * dayMs;
		return this.#logins.find((login) => isSame(login.cookie, hash) && login.seenAt > oldest);
	}

	/** A failure costs a login after the next start. */
	#write(): void {
		const bySeen = this.#logins.toSorted((a, b) => b.seenAt - a.seenAt);
		this.#logins = bySeen.slice(0, limits.logins);
		try {
			writeSecretFile(this.#file, JSON.stringify(this.#logins));
		} catch (error) {
			log.warn("the browsers that are let in were not recorded", { reason: String(error) });
		}
	}
}

function readLogins(file: string): Login[] {
	try {
		const value: unknown = JSON.parse(readSecretFile(file, fileBytes)?.toString("utf8") ?? "[]");
		return Array.isArray(value) ? value.filter(isLogin).slice(0, limits.logins) : [];
	} catch (error) {
		log.warn("the browsers that were let in could not be read", { reason: String(error) });
		return [];
	}
}

function isLogin(value: unknown): value is Login {
	if (!isRecord(value)) return false;
	const { cookie, key, seenAt } = value;
	return typeof cookie === "string" && typeof key === "string" && typeof seenAt === "number";
}

function secret(): string {
	return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}

function hashOf(text: string): string {
	return new Bun.CryptoHasher("sha256").update(text).digest("base64url");
}

/** Takes as long whatever the difference; both are hashes, and of one length. */
function isSame(one: string, other: string): boolean {
	const [a, b] = [Buffer.from(one), Buffer.from(other)];
	return a.length === b.length && timingSafeEqual(a, b);
}
