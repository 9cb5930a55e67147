/** Sessions as a list: which fit a search, in which order, and how each is called. */
import { resolve } from "node:path";
import type { SessionInfo } from "@tau/log";

export const sortOrders = ["recent", "created", "name", "size"] as const;
export type SortOrder = (typeof sortOrders)[number];

export interface SessionFilter {
	search: string;
	sort: SortOrder;
	/** Only those that have a name. */
	named: boolean;
	/** Only those of this directory; all of them without it. */
	cwd?: string;
	/** Files that contain all words of the search, if the whole text is searched. */
	matches?: ReadonlySet<string>;
}

/** The text that a search matches, computed once for each session: thousands are matched for every letter. */
export class SessionIndexText {
	readonly #texts = new WeakMap<SessionInfo, string>();

	of(info: SessionInfo): string {
		const known = this.#texts.get(info);
		if (known !== undefined) return known;
		const text =
			`${info.agent === undefined ? "" : `agent ${info.agent}`}\n${info.name ?? ""}\n${info.firstMessage}\n${info.id}\n${info.cwd}\n${info.branch ?? ""}\n${info.outcome ?? ""}`.toLowerCase();
		this.#texts.set(info, text);
		return text;
	}
}

export function sessionRows(
	sessions: readonly SessionInfo[],
	filter: SessionFilter,
	texts: SessionIndexText,
): readonly SessionInfo[] {
	const terms = wordsOf(filter.search);
	const home = filter.cwd === undefined ? undefined : resolve(filter.cwd);
	const fitting = sessions.filter((info) => {
		if (filter.named && info.name === undefined) return false;
		if (home !== undefined && !isOf(info, home)) return false;
		if (terms.length === 0 || filter.matches?.has(info.path)) return true;
		const text = texts.of(info);
		return terms.every((word) => text.includes(word));
	});
	return sorted(fitting, filter.sort);
}

/** A session without a directory belongs to every directory. */
function isOf({ cwd }: SessionInfo, home: string): boolean {
	return cwd === home || cwd === "" || resolve(cwd) === home;
}

export function wordsOf(search: string): string[] {
	return search.toLowerCase().split(/\s+/).filter(Boolean);
}

/** The title is the name, or else the first message. */
export function titleOf({ name, firstMessage }: Pick<SessionInfo, "name" | "firstMessage">): string {
	return name ?? (firstMessage === "" ? "(no messages)" : firstMessage);
}

/** `now`, `5m`, `3h`, `2d`, `4w`, `2y`: how long ago. */
export function ago(then: Date, now: number): string {
	const minutes = Math.max(0, Math.floor((now - then.getTime()) / 60_000));
	if (minutes < 1) return "now";
	if (minutes < 60) return `${minutes}m`;
	const hours = Math.floor(minutes / 60);
	if (hours < 24) return `${hours}h`;
	const days = Math.floor(hours / 24);
	if (days < 14) return `${days}d`;
	return days < 365 ? `${Math.floor(days / 7)}w` : `${Math.floor(days / 365)}y`;
}

export function nextOrder(order: SortOrder): SortOrder {
	return sortOrders[(sortOrders.indexOf(order) + 1) % sortOrders.length] ?? "recent";
}

function sorted(sessions: readonly SessionInfo[], order: SortOrder): readonly SessionInfo[] {
	switch (order) {
		case "recent":
			// As they come.
			return sessions;
		case "created":
			return sessions.toSorted((a, b) => b.created.getTime() - a.created.getTime());
		case "name":
			return sessions.toSorted((a, b) => compare(titleOf(a).toLowerCase(), titleOf(b).toLowerCase()));
		case "size":
			return sessions.toSorted((a, b) => b.size - a.size);
	}
}

function compare(a: string, b: string): number {
	return a < b ? -1 : Number(a > b);
}
