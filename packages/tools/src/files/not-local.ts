/** The result when a program here has to open a file that is on another machine. */
import type { Machine } from "@tau/sys";

export function notLocal(shown: string, { where }: Pick<Machine, "where">): string {
	return `${shown} is a database on ${where.label}, which cannot be opened from here: use bash with sqlite3.`;
}
