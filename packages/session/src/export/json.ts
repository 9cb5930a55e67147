/** Writes a branch of a session as JSON: the header, and the entries as they are in the file. */
import type { ExportSource } from "./source.ts";

export function toJson({ header, branch }: ExportSource): string {
	return `${JSON.stringify({ session: header, entries: branch }, null, 2)}\n`;
}
