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
