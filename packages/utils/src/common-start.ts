/** How many items two lists have in common at their beginning. A plain loop: conversations are compared for each request. */
export function commonStart(one: readonly unknown[], other: readonly unknown[]): number {
	const length = Math.min(one.length, other.length);
	let at = 0;
	while (at < length && one[at] === other[at]) at++;
	return at;
}
