/** How a server is reached from here: by which proxy, trusting whom and showing which certificate. */
import { env as read, type Env } from "@tau/utils";

import { proxyFor } from "./proxy.ts";
import type { TlsMaterial, TlsVariables } from "./tls.ts";

export interface Connection {
	/** What `fetch` has to be told; empty where nothing is out of the ordinary. */
	init: { proxy?: string | false; tls?: TlsMaterial };
	/** The proxy in between, for a person. */
	proxy?: string;
}

const tlsVariables = ["NODE_EXTRA_CA_CERTS", "CLAUDE_CODE_CLIENT_CERT", "CLAUDE_CODE_CLIENT_KEY"] as const;

/** The variables are looked at for each request, because a `.env` may set them late; a problem names the variable. */
export async function connectionTo(
	url: string,
	env: Env = process.env,
): Promise<Connection | { problem: string }> {
	const connection: Connection = { init: {} };
	// What is no address fails in fetch, with its words.
	if (!URL.canParse(url)) return connection;
	const target = new URL(url);
	const proxy = proxyFor(target, env);
	if (proxy === false) connection.init.proxy = false;
	else if (proxy && "problem" in proxy) return proxy;
	else if (proxy) {
		connection.init.proxy = proxy.url;
		connection.proxy = proxy.name;
	}
	const hops = [target.href, connection.init.proxy || ""];
	const tls = hops.some((hop) => hop.startsWith("https:")) ? await materialFrom(env) : undefined;
	if (tls instanceof Error) return { problem: tls.message };
	if (tls) connection.init.tls = tls;
	return connection;
}

/** Files are read once for as long as the variables are the same; only what could be read is kept. */
let kept: { key: string; material: TlsMaterial } | undefined;

async function materialFrom(env: Env): Promise<TlsMaterial | Error | undefined> {
	const given: TlsVariables = {};
	for (const name of tlsVariables) {
		const value = read(name, env);
		if (value !== undefined) given[name] = value;
	}
	const key = JSON.stringify(given);
	if (key === "{}") return undefined;
	if (kept?.key === key) return kept.material;
	try {
		const { readTls } = await import("./tls.ts");
		const material = await readTls(given);
		kept = { key, material };
		return material;
	} catch (error) {
		return error instanceof Error ? error : new Error(String(error));
	}
}
