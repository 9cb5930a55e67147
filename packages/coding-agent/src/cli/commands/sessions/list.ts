/** Formats sessions as a table for a user, or as JSON lines for a program. */
import type { SessionInfo } from "@tau/log";
import { columns, cut } from "@tau/utils/text-table";

import { bytes, jsonLine, lineWidth } from "./output.ts";

export function listing(sessions: readonly SessionInfo[], isJson: boolean): string {
	return isJson ? sessions.map(jsonRow).join("") : sessionTable(sessions, lineWidth(), Date.now());
}

export function sessionTable(sessions: readonly SessionInfo[], width: number, now: number): string {
	if (sessions.length === 0)
		return "No sessions in this directory. Run tau sessions list --all to list all directories.\n";
	const prefix = prefixLength(sessions.map(({ id }) => id));
	const rows = sessions.map(({ id, modified, messageCount, size, name, firstMessage }) => [
		id.slice(0, prefix),
		age(now - modified.getTime()),
		String(messageCount),
		bytes(size),
		name ?? firstMessage,
	]);
	return columns([["id", "age", "messages", "size", "about"], ...rows])
		.map((line) => `${cut(line, width)}\n`)
		.join("");
}

function jsonRow(session: SessionInfo): string {
	const {
		id,
		path,
		cwd,
		name,
		parentSessionPath,
		branch,
		created,
		modified,
		messageCount,
		size,
		firstMessage,
	} = session;
	return jsonLine({
		id,
		path,
		cwd,
		name,
		parentSessionPath,
		branch,
		created,
		modified,
		messageCount,
		size,
		firstMessage,
	});
}

/** The first characters of an id are the time; as many as make all of the list unique, at least 8. */
function prefixLength(ids: readonly string[]): number {
	const longest = ids.reduce((most, id) => Math.max(most, id.length), 8);
	const different = new Set(ids).size;
	for (let length = 8; length < longest; length++) {
		if (new Set(ids.map((id) => id.slice(0, length))).size === different) return length;
	}
	return longest;
}

function age(ms: number): string {
	const minutes = Math.max(0, Math.floor(ms / 60_000));
	if (minutes < 60) return `${minutes}m`;
	const hours = Math.floor(minutes / 60);
	return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
