/** How a server is reached: by which proxy, with which trusted and client certificates. */
import { env as read, environment, type Env } from "@tau/utils/portable";

import { proxyFor } from "./proxy.ts";
import type { TlsMaterial, TlsVariables } from "./tls.ts";

export interface Connection {
	/** Options for `fetch`; empty in the ordinary case. */
	init: { proxy?: string | false; tls?: TlsMaterial };
	/** The proxy in between, for the user. */
	proxy?: string;
}

const tlsVariables = ["NODE_EXTRA_CA_CERTS", "CLAUDE_CODE_CLIENT_CERT", "CLAUDE_CODE_CLIENT_KEY"] as const;

/** The variables are read for each request, because a `.env` may set them late; a problem names the variable. */
export async function connectionTo(
	url: string,
	env: Env = environment(),
): Promise<Connection | { problem: string }> {
	const connection: Connection = { init: {} };
	// An invalid address fails in fetch, with its message.
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

/** Files are read once as long as the variables are the same; only successful results are cached. */
let cached: { key: string; material: TlsMaterial } | undefined;

async function materialFrom(env: Env): Promise<TlsMaterial | Error | undefined> {
	const variables: TlsVariables = {};
	for (const name of tlsVariables) {
		const value = read(name, env);
		if (value !== undefined) variables[name] = value;
	}
	const key = JSON.stringify(variables);
	if (key === "{}") return undefined;
	if (cached?.key === key) return cached.material;
	try {
		const { readTls } = await import("./tls.ts");
		const material = await readTls(variables);
		cached = { key, material };
		return material;
	} catch (error) {
		return error instanceof Error ? error : new Error(String(error));
	}
}
