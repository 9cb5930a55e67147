/** Formats amounts of tokens and money so that they are easy to read at a glance. */

/** `950`, `12.3k`, `200k`, `1.5M`. */
export function tokens(count: number): string {
	if (count < 1000) return String(Math.round(count));
	if (count < 999_500) return `${short(count / 1000)}k`;
	return `${short(count / 1_000_000)}M`;
}

export function money(dollars: number): string {
	if (dollars === 0) return "$0";
	return dollars < 0.995 ? `$${dollars.toFixed(3)}` : `$${dollars.toFixed(2)}`;
}

function short(value: number): string {
	return value < 99.95 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value));
}

/** `4s`, `1m 05s`, `2h 03m`. */
export function elapsed(ms: number): string {
	const seconds = Math.max(0, Math.floor(ms / 1000));
	if (seconds < 60) return `${seconds}s`;
	const minutes = Math.floor(seconds / 60);
	if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
	return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

/** `1 file`, `12,345 files`. */
export function plural(count: number, one: string, many = `${one}s`): string {
	// By hand: the first number that `Intl` formats loads 2.5 MB, which takes 2 to 7 ms of a start.
	const digits = String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
	return `${digits} ${count === 1 ? one : many}`;
}

function two(value: number): string {
	return String(value).padStart(2, "0");
}
