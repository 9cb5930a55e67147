/** Lines of JSON, as print and RPC mode write them. */

/** One line: `\n` ends it, and within JSON there is none. */
export function frameLine(frame: object): string {
	return `${JSON.stringify(frame)}\n`;
}
