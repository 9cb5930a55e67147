/** Checks an address before anything is sent to it, and determines where exactly to connect. */
import { lookup } from "node:dns/promises";

import { abortable } from "@tau/utils";

import { addressBytes, isPublicAddress } from "./address.ts";
import { limits } from "./limits.ts";
import { pageProblem, type PageProblem } from "./page.ts";

/** Every address of a name. */
export type ResolveName = (host: string) => Promise<readonly string[]>;

export interface Judged {
	ok: true;
	url: URL;
	/** The only addresses to connect to, in this order: a second lookup of the name might return others. */
	addresses: readonly string[];
}

/** All that is not on the open internet, or some addresses of it. */
export type AllowPrivate = boolean | ((address: string) => boolean);

export interface JudgeOptions {
	allowPrivate: AllowPrivate;
	signal: AbortSignal;
	resolveName?: ResolveName | undefined;
}

export async function judge(text: string | URL, options: JudgeOptions): Promise<Judged | PageProblem> {
	const url = URL.parse(String(text));
	if (!url) return pageProblem("bad-url", `${String(text)} is not a URL.`);
	if (url.protocol !== "http:" && url.protocol !== "https:") {
		return pageProblem("bad-url", `${url.protocol}// is not supported, only http:// and https://.`);
	}
	if (url.username !== "" || url.password !== "") {
		return pageProblem("bad-url", `URLs with a user name or password are not fetched. Remove them.`);
	}
	if (url.href.length > limits.urlChars) {
		return pageProblem("bad-url", `A URL can have at most ${limits.urlChars} characters.`);
	}
	url.hash = "";
	// The URL has made decimal, octal and hexadecimal forms plain already.
	const host = url.hostname.replace(/^\[|\]$/g, "");
	const addresses = addressBytes(host) ? [host] : await addressesOf(host, options);
	if ("ok" in addresses) return addresses;
	const { allowPrivate } = options;
	const isAllowed = typeof allowPrivate === "function" ? allowPrivate : () => allowPrivate;
	const inside = addresses.find((address) => !isPublicAddress(address) && !isAllowed(address));
	if (inside === undefined) return { ok: true, url, addresses: addresses.slice(0, limits.addresses) };
	const where = inside === host ? host : `${host} (${inside})`;
	return pageProblem(
		"private",
		`${where} is not on the public internet and was not fetched. The setting fetch.allowPrivate allows it.`,
	);
}

/** IPv4 first: more machines have it. */
async function addressesOf(
	host: string,
	{ signal, resolveName = systemNames }: JudgeOptions,
): Promise<readonly string[] | PageProblem> {
	try {
		const matches = await abortable(resolveName(host), signal);
		if (matches.length > 0)
			return matches.toSorted((a, b) => Number(a.includes(":")) - Number(b.includes(":")));
	} catch (error) {
		signal.throwIfAborted();
		const { code, message } = error as NodeJS.ErrnoException;
		if (code !== "ENOTFOUND" && code !== "DNS_ENOTFOUND") {
			return pageProblem("network", `Cannot resolve ${host}: ${code ?? message}.`);
		}
	}
	return pageProblem("not-found", `Host ${host} not found.`);
}

async function systemNames(host: string): Promise<string[]> {
	return (await lookup(host, { all: true })).map(({ address }) => address);
}
