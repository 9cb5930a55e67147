/** Autolinks: addresses in the text without link syntax. */

export interface Autolink {
	text: string;
	href: string;
	end: number;
}

const uri = /<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>/y;
const mail =
	/<([\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*)>/y;

/** `<https://…>` and `<name@host>`. */
export function enclosedLink(text: string, at: number): Autolink | undefined {
	for (const [pattern, scheme] of [
		[uri, ""],
		[mail, "mailto:"],
	] as const) {
		pattern.lastIndex = at;
		const match = pattern.exec(text);
		const address = match?.[1];
		if (match && address !== undefined) {
			return { text: address, href: scheme + address, end: at + match[0].length };
		}
	}
	return undefined;
}

const bare = /(?:https?:\/\/|www\.)[\w-]+(?:\.[\w-]+)*(?::\d+)?(?:[/?#][^\s<]*)?/iy;

/** Whether the text may contain bare addresses at all: searching for them slows parsing down. */
export function mayHoldLinks(text: string): boolean {
	return /:\/\/|www\./i.test(text);
}

/** GFM: an address without delimiters, without the trailing punctuation of its sentence. */
export function bareLink(text: string, at: number): Autolink | undefined {
	if (at > 0 && !/[\s*_~(]/.test(text.charAt(at - 1))) return undefined;
	bare.lastIndex = at;
	const match = bare.exec(text)?.[0];
	if (match === undefined) return undefined;
	const address = withoutSentence(match);
	const isNamed = /^www\./i.test(address);
	if (isNamed && !/^www\.[^.]+\./i.test(address)) return undefined;
	return { text: address, href: isNamed ? `http://${address}` : address, end: at + address.length };
}

function withoutSentence(match: string): string {
	let address = match;
	for (;;) {
		const last = address.at(-1) ?? "";
		const reference = last === ";" ? /&[A-Za-z0-9]+;$/.exec(address) : null;
		if (reference) address = address.slice(0, reference.index);
		else if (/[?!.,:;*_~'"]/.test(last)) address = address.slice(0, -1);
		else if (last === ")" && count(address, ")") > count(address, "(")) address = address.slice(0, -1);
		else return address;
	}
}

function count(text: string, sign: string): number {
	return text.split(sign).length - 1;
}
