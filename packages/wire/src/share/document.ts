/** What a share, or an exported page, contains: a session that is only read. */
import { isRecord, stripControls } from "@tau/utils/portable";

import type { WireMessage } from "../messages.ts";
import { userTextOf } from "../user-text.ts";
import { commentType, type AgentFacts, type Entry } from "../view.ts";
import { shareLimits as limits } from "./limits.ts";

export const shareFormat = "tau-share";
export const shareVersion = 1;

export interface ShareAgent extends AgentFacts {
	readonly messages: readonly WireMessage[];
}

export interface ShareDocument {
	readonly format: typeof shareFormat;
	readonly version: number;
	/** When it was made, and by which version of Tau. */
	readonly createdAt: string;
	readonly program: string;
	readonly session: {
		readonly id: string;
		readonly cwd: string;
		readonly timestamp: string;
		readonly name?: string;
	};
	readonly leafId: string | null;
	/** The branch of a share; all branches of an exported page. Parents come before their children. */
	readonly entries: readonly Entry[];
	readonly agents: readonly ShareAgent[];
	/** How many secrets were masked. */
	readonly masked: number;
}

/** Why a share cannot be opened, for its reader. */
export class ShareError extends Error {}

/** The document in a text that anybody may have written. Throws a `ShareError`. */
export function parseDocument(text: string): ShareDocument {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		throw new ShareError("This share is damaged: its content is not complete.");
	}
	if (!isRecord(value) || value.format !== shareFormat) throw new ShareError("This is not a share of Tau.");
	const { version } = value;
	if (typeof version !== "number" || version > shareVersion)
		throw new ShareError(
			`This share was made by a newer version of Tau (format ${String(version)}, known: ${shareVersion}). Update Tau to open it.`,
		);
	return { ...headOf(value), entries: entriesOf(value.entries), agents: agentsOf(value.agents) };
}

function headOf(value: Record<string, unknown>): Omit<ShareDocument, "entries" | "agents"> {
	const { session, leafId = null } = value;
	if (!isRecord(session) || !isId(session.id)) throw new ShareError("This share names no session.");
	if (leafId !== null && !isId(leafId)) throw new ShareError("This share names no valid end of its branch.");
	return {
		format: shareFormat,
		version: shareVersion,
		createdAt: line(value.createdAt),
		program: line(value.program),
		session: {
			id: session.id,
			cwd: line(session.cwd),
			timestamp: line(session.timestamp),
			...(typeof session.name === "string" ? { name: line(session.name) } : {}),
		},
		leafId,
		masked: typeof value.masked === "number" ? value.masked : 0,
	};
}

/** Ids become names of files and anchors, and parents must exist: a reader walks from the leaf to the root. */
function entriesOf(value: unknown): Entry[] {
	if (!Array.isArray(value)) throw new ShareError("This share has no entries.");
	if (value.length > limits.entries)
		throw new ShareError(`This share has more than ${limits.entries.toLocaleString("en-US")} entries.`);
	const ids = new Set<string>();
	return value.map((entry: unknown, at) => {
		if (!isEntry(entry)) throw new ShareError(`Entry ${at + 1} of this share is not an entry of a session.`);
		const { id, parentId } = entry;
		if (ids.has(id)) throw new ShareError(`Entry ${at + 1} of this share has the id of another one.`);
		if (parentId !== null && !ids.has(parentId))
			throw new ShareError(`Entry ${at + 1} of this share has no parent.`);
		ids.add(id);
		return withoutState(entry);
	});
}

/** What an extension, or Tau, would take for its own state: who continues a share has not made it. */
function withoutState(entry: Entry): Entry {
	if (entry.type !== "custom" || entry.customType === commentType) return entry;
	const { data: _data, ...rest } = entry;
	return rest as Entry;
}

function isEntry(value: unknown): value is Entry {
	if (!isRecord(value)) return false;
	const { type, id, parentId, timestamp } = value;
	const isLinked = parentId === null || typeof parentId === "string";
	return typeof type === "string" && isId(id) && isLinked && typeof timestamp === "string";
}

function agentsOf(value: unknown): ShareAgent[] {
	if (!Array.isArray(value)) return [];
	return value.slice(0, limits.agents).flatMap((agent: unknown) => {
		if (!isRecord(agent) || !isId(agent.id) || !Array.isArray(agent.messages)) return [];
		return [agent as unknown as ShareAgent];
	});
}

function isId(value: unknown): value is string {
	return typeof value === "string" && /^[\w.-]{1,128}$/.test(value) && !/^\.+$/.test(value);
}

/** The name of the session, or the beginning of its first prompt. */
export function documentTitle({ session, entries }: ShareDocument): string {
	if (session.name) return session.name;
	const texts = entries.values().map(({ message }) => userTextOf(message).replaceAll(/\s+/g, " ").trim());
	return texts.find((text) => text !== "")?.slice(0, limits.titleChars) ?? "";
}

/** One line of a title, a path or a name. */
export function line(value: unknown): string {
	const text = typeof value === "string" ? value : "";
	return stripControls(text, { newline: false, tab: false }).slice(0, limits.lineChars);
}
