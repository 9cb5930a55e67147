/** Durations in a short form. */

/** `4s`, `1m 05s`, `2h 03m`. */
export function elapsed(ms: number): string {
	const seconds = Math.max(0, Math.floor(ms / 1000));
	const minutes = Math.floor(seconds / 60);
	if (seconds < 60) return `${seconds}s`;
	if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
	return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

/** Below ten seconds a tenth matters. */
export function duration(ms: number): string {
	return ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : elapsed(ms);
}

function two(value: number): string {
	return String(value).padStart(2, "0");
}
