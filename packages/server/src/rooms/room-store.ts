/** The room of a session on disk: its keys and links, so that a link works again after a restart. */
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { dirs, errorCode, isRecord, privateDirectory } from "@tau/utils";
import { linkRights, type Invitation, type StoredIdentity } from "@tau/wire/room";

export interface StoredRoom {
	readonly relay: string;
	readonly identity: StoredIdentity;
	/** The last epoch: the next life of the room continues after it. */
	readonly epoch: number;
	readonly invitations: readonly Invitation[];
}

/** Read by the user alone. */
function fileOf(sessionId: string): string {
	const directory = privateDirectory(join(privateDirectory(join(dirs().config, "collab")), "rooms"));
	return join(directory, `${sessionId.replaceAll(/[^\w-]/g, "_")}.json`);
}

/** Undefined where the session was not shared, or the file is of no use. */
export function readRoom(sessionId: string): StoredRoom | undefined {
	let text: string;
	try {
		text = readFileSync(fileOf(sessionId), "utf8");
	} catch (error) {
		if (errorCode(error) === "ENOENT") return undefined;
		throw error;
	}
	try {
		const value: unknown = JSON.parse(text);
		return isRecord(value) && isRoom(value) ? (value as unknown as StoredRoom) : undefined;
	} catch {
		// The file was edited by hand: the room is made anew.
		return undefined;
	}
}

export function writeRoom(sessionId: string, room: StoredRoom): void {
	const file = fileOf(sessionId);
	const temporary = `${file}.${process.pid}.tmp`;
	writeFileSync(temporary, JSON.stringify(room), { mode: 0o600 });
	chmodSync(temporary, 0o600);
	renameSync(temporary, file);
}

export function removeRoom(sessionId: string): void {
	rmSync(fileOf(sessionId), { force: true });
}

function isRoom({ relay, identity, epoch, invitations }: Record<string, unknown>): boolean {
	return (
		typeof relay === "string" &&
		typeof epoch === "number" &&
		isRecord(identity) &&
		["signing", "signingPublic", "exchange", "exchangePublic"].every(
			(key) => typeof identity[key] === "string",
		) &&
		Array.isArray(invitations) &&
		invitations.every(isInvitation)
	);
}

function isInvitation(value: unknown): boolean {
	return (
		isRecord(value) &&
		typeof value.name === "string" &&
		typeof value.secret === "string" &&
		linkRights.some((right) => right === value.right) &&
		Array.isArray(value.guests)
	);
}
