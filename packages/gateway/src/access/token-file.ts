/** The bearer token of a server in a file, and whether a request has it. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";

import { dirs, readSecretFile, registerSecret, writeSecretFile, type Env } from "@tau/utils";

/** Ours have 44 bytes; a longer file is another one by mistake. */
const tokenBytes = 4096;

export type ServerName = "auth-broker" | "auth-gateway";

/** `<config>/auth-broker.token`. */
export function tokenPath(server: ServerName, env: Env = process.env): string {
	return join(dirs(env).config, `${server}.token`);
}

export function readToken(path: string): string | undefined {
	const token = readSecretFile(path, tokenBytes)?.toString("utf8").trim();
	if (!token) return undefined;
	registerSecret(token);
	return token;
}

/** The token in the file; a new one if there is none, or if it is to be replaced. */
export function ensureToken(path: string, { regenerate = false }: { regenerate?: boolean } = {}): string {
	const present = regenerate ? undefined : readToken(path);
	if (present !== undefined) return present;
	const token = randomBytes(32).toString("base64url");
	registerSecret(token);
	writeSecretFile(path, `${token}\n`);
	return token;
}

/** The token that a request brings; undefined if it brings none. */
export function bearerOf({ headers }: Pick<Request, "headers">): string | undefined {
	return /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

/** Takes the same time for every wrong token, whatever its length and its beginning. */
export function isToken(sent: string | undefined, token: string): boolean {
	return sent !== undefined && token !== "" && timingSafeEqual(digest(sent), digest(token));
}

function digest(text: string): Uint8Array {
	return new Bun.CryptoHasher("sha256").update(text).digest();
}

/** Returns the token of the file whenever it is called: one that was replaced no longer opens. */
export function currentToken(path: string): () => string {
	let token = ensureToken(path);
	let stamp = stampOf(path);
	return () => {
		const now = stampOf(path);
		if (now === stamp) return token;
		stamp = now;
		// Without a file nobody has access: an empty token is never sent.
		token = readToken(path) ?? "";
		return token;
	};
}

function stampOf(path: string): string {
	const found = statSync(path, { throwIfNoEntry: false });
	return found === undefined ? "" : `${found.ino} ${found.mtimeMs} ${found.size}`;
}
