/** Links of shares: where the sealed bytes are, and after the `#` the key, which no browser sends. */
import { ShareError } from "./document.ts";

export interface ShareLink {
	/** Where the bytes are read from. */
	readonly from:
		{ readonly kind: "relay"; readonly raw: string } | { readonly kind: "gist"; readonly id: string };
	readonly key: string;
	/** The message that the link is about. */
	readonly entryId?: string;
}

export function shareUrl(address: string, key: string): string {
	return `${address}#${key}`;
}

/** Throws a `ShareError` that says how a link looks. */
export function readShareLink(text: string): ShareLink {
	let url: URL;
	try {
		url = new URL(text.trim());
	} catch {
		throw notLink();
	}
	const { key, entryId } = readFragment(url.hash);
	if (key === "")
		throw new ShareError("The link has no key. Copy the whole link, with everything after the #.");
	const rest = { key, ...(entryId === undefined ? {} : { entryId }) };
	const [, gist] = /^\/(?:[\w-]+\/)?([0-9a-f]{20,40})\/?$/.exec(url.pathname) ?? [];
	if (url.hostname === "gist.github.com" && gist !== undefined)
		return { from: { kind: "gist", id: gist }, ...rest };
	const isPlain = url.protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
	if ((url.protocol !== "https:" && !isPlain) || !/\/s\/[\w-]{22}$/.test(url.pathname)) throw notLink();
	return { from: { kind: "relay", raw: `${url.origin}${url.pathname}/raw` }, ...rest };
}

/** `#<key>`, or `#<key>&m=<entry>` for one message. */
export function readFragment(hash: string): { key: string; entryId?: string } {
	const [key = "", ...more] = hash.replace(/^#/, "").split("&");
	const entryId = more.find((part) => part.startsWith("m="))?.slice(2);
	return { key, ...(entryId ? { entryId } : {}) };
}

function notLink(): ShareError {
	return new ShareError(
		"This is not a link of a share. It looks like https://relay.example.com/s/<id>#<key>.",
	);
}
