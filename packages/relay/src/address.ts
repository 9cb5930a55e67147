/** Where a relay listens, and who a request is from. */
import { BlockList, isIP, isIPv4 } from "node:net";

import { UsageError } from "@tau/utils";

export type Binding = { readonly hostname: string; readonly port: number } | { readonly unix: string };

export const defaultPort = 7475;

/** `host:port`, a port of this machine alone, or the path of a Unix socket. */
export function parseBinding(text: string): Binding {
	if (text.includes("/")) return { unix: text };
	const [, name, bracketed = name, digits = ""] =
		/^(?:(\[(.+)\]|[^:]+):)?(\d{1,5})$/.exec(text)?.map((part) => part) ?? [];
	const port = Number(digits);
	if (digits === "" || port > 65_535)
		throw new UsageError(
			`Cannot listen on "${text}". Give host:port (0.0.0.0:${defaultPort}), a port (${defaultPort}) or the path of a socket (/run/tau/relay.sock).`,
		);
	return { hostname: bracketed ?? "127.0.0.1", port };
}

/** Proxies whose `X-Forwarded-For` is trusted. */
export class TrustedProxies {
	readonly #list = new BlockList();
	readonly #trustsSocket: boolean;

	/** Addresses, networks (`10.0.0.0/8`), and `unix` for clients of a Unix socket. */
	constructor(proxies: readonly string[]) {
		this.#trustsSocket = proxies.includes("unix");
		for (const proxy of proxies.filter((each) => each !== "unix")) this.#add(proxy);
	}

	/** The nearest address that is not a proxy's. Anybody may write the header, so only proxies are believed. */
	clientOf(request: Request, peer: string | undefined): string {
		if (peer === undefined ? !this.#trustsSocket : !this.#isTrusted(peer)) return peer ?? "unix";
		const hops = (request.headers.get("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
		const client = hops.findLast((hop) => isIP(hop) !== 0 && !this.#isTrusted(hop));
		return client ?? peer ?? "unix";
	}

	#isTrusted(address: string): boolean {
		const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
		return isIP(plain) !== 0 && this.#list.check(plain, isIPv4(plain) ? "ipv4" : "ipv6");
	}

	#add(proxy: string): void {
		const [network = "", bits] = proxy.split("/");
		const family = isIPv4(network) ? "ipv4" : "ipv6";
		const most = family === "ipv4" ? 32 : 128;
		const prefix = bits === undefined ? most : Number(bits);
		if (isIP(network) === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > most)
			throw new UsageError(`"${proxy}" in TAU_RELAY_PROXIES is no address, no network and not "unix".`);
		this.#list.addSubnet(network, prefix, family);
	}
}
