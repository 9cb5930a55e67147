/** What this user has shared: links with their keys, and the tokens that delete them. Readable by the owner alone. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

import { dirs, isRecord, readSecretFile, waitForLock, writeSecretFile } from "@tau/utils";

import { limits } from "./limits.ts";

/** The start of an id: enough to tell the shares of a user apart. */
export const shownIdChars = 8;

export interface ShareRecord {
	readonly id: string;
	readonly store: "relay" | "gist";
	/** With the key. */
	readonly url: string;
	readonly address: string;
	readonly deleteToken?: string;
	readonly sessionId: string;
	readonly title: string;
	/** Milliseconds since 1970. */
	readonly createdAt: number;
	readonly expiresAt?: number;
	readonly bytes: number;
}

function ledgerFile(): string {
	return join(dirs().data, "shares.json");
}

/** Newest first, without those that have expired. */
export function listShares(now = Date.now()): ShareRecord[] {
	const bytes = readSecretFile(ledgerFile(), limits.ledgerBytes);
	if (!bytes) return [];
	let value: unknown;
	try {
		value = JSON.parse(bytes.toString("utf8"));
	} catch {
		throw new Error(
			`${ledgerFile()} is damaged. Move it away: it has the links and delete tokens of your shares.`,
		);
	}
	const shares: unknown[] = isRecord(value) && Array.isArray(value.shares) ? value.shares : [];
	return shares
		.filter(isShare)
		.filter(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt > now)
		.toSorted((one, other) => other.createdAt - one.createdAt);
}

export function addShare(share: ShareRecord): void {
	change((shares) => [share, ...shares]);
}

export function forgetShare(id: string): void {
	change((shares) => shares.filter((share) => share.id !== id));
}

/** Locked from reading to writing: two that share at the same moment would otherwise lose a link and its delete token. */
function change(edit: (shares: readonly ShareRecord[]) => readonly ShareRecord[]): void {
	const file = ledgerFile();
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	using _lock = waitForLock(file);
	writeSecretFile(file, `${JSON.stringify({ shares: edit(listShares()) }, null, "\t")}\n`);
}

function isShare(value: unknown): value is ShareRecord {
	if (!isRecord(value)) return false;
	const texts = [value.id, value.url, value.address, value.sessionId, value.title];
	return (
		texts.every((text) => typeof text === "string") &&
		(value.store === "relay" || value.store === "gist") &&
		typeof value.createdAt === "number"
	);
}
