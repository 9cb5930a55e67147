/** What a tool answers when a file has to be opened by a program here, and lies on another machine. */
import type { Machine } from "@tau/sys";

export function notLocal(shown: string, { where }: Pick<Machine, "where">): string {
	return `${shown} is a database on ${where.label}, which cannot be opened from here: use bash with sqlite3.`;
}
