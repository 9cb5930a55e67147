/** Formats numbers so that they are easy to read at a glance. */
export { money, tokens } from "@tau/utils";

/** `4s`, `1m 05s`, `2h 03m`. */
export function elapsed(ms: number): string {
	const seconds = Math.max(0, Math.floor(ms / 1000));
	if (seconds < 60) return `${seconds}s`;
	const minutes = Math.floor(seconds / 60);
	if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
	return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

/** Tenths are shown only below ten seconds, where they are informative. */
export function duration(ms: number): string {
	return ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : elapsed(ms);
}

export function plural(count: number, one: string, many = `${one}s`): string {
	return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

function two(value: number): string {
	return String(value).padStart(2, "0");
}
