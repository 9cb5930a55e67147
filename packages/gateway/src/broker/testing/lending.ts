/** A broker and its clients in one process, with a clock that tests set. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { CredentialStore, type NewCredential } from "@tau/ai";
import { brokerAccess } from "@tau/ai/broker";

import { parseBind } from "../../access/index.ts";
import { BrokerServer } from "../server.ts";

export interface Lending extends AsyncDisposable {
	/** Milliseconds; tests set it. */
	clock: { now: number };
	server: BrokerServer;
	readonly url: string;
	readonly token: string;
	/** The credentials of the broker's machine, as another process there sees them. */
	readonly own: CredentialStore;
	readonly directory: string;
	/** A client of another machine; those with the same name share a cache. */
	client(name: string, options?: ClientOptions): Promise<CredentialStore>;
	ask(path: string, init?: RequestInit): Promise<Response>;
	/** Ends the broker; a new one is at the same address. */
	restart(): Promise<void>;
	stop(): Promise<void>;
}

export interface ClientOptions {
	token?: string;
	url?: string;
	env?: Record<string, string>;
	/** A clock of its own. */
	now?: () => number;
	notices?: string[];
}

export async function lending(
	vendor?: { env: Record<string, string> },
	env: Record<string, string> = {},
): Promise<Lending> {
	const directory = mkdtempSync(join(tmpdir(), "tau-broker-"));
	const clock = { now: Date.now() };
	const token = "t".repeat(43);
	const path = join(directory, "broker", "agent.db");
	const vendorEnv = { ...vendor?.env, ...env };
	const now = (): number => clock.now;
	const serve = (bind: string): BrokerServer =>
		new BrokerServer({
			bind: parseBind(bind),
			token: () => token,
			path,
			env: vendorEnv,
			onNotice: () => {},
			now,
		});
	const server = serve("127.0.0.1:0");
	const own = await CredentialStore.open({ path, env: vendorEnv, onNotice: () => {}, now });
	const url = `http://127.0.0.1:${server.port}`;
	const clients: CredentialStore[] = [];
	const lent: Lending = {
		clock,
		server,
		url,
		token,
		own,
		directory,
		async client(name, options = {}) {
			const home = join(directory, name);
			const clientEnv = { HOME: home, TAU_AUTH_BROKER_TOKEN: options.token ?? token, ...options.env };
			const store = await CredentialStore.open({
				path: join(home, "agent.db"),
				env: clientEnv,
				onNotice: (message) => options.notices?.push(message),
				now: options.now ?? now,
				broker: brokerAccess(options.url ?? url, undefined, clientEnv),
			});
			clients.push(store);
			return store;
		},
		ask: (route, init = {}) =>
			fetch(url + route, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } }),
		async restart() {
			await lent.server[Symbol.asyncDispose]();
			lent.server = serve(new URL(url).host);
		},
		async stop() {
			await lent.server[Symbol.asyncDispose]();
		},
		async [Symbol.asyncDispose]() {
			for (const store of clients) store[Symbol.dispose]();
			own[Symbol.dispose]();
			await lent.server[Symbol.asyncDispose]();
			rmSync(directory, { recursive: true });
		},
	};
	return lent;
}

/** A login that ends in so many milliseconds, as it would be after a real one. */
export function loginFor(
	clock: { now: number },
	ms: number,
	tokens: Partial<NewCredential> = {},
): NewCredential {
	return {
		kind: "oauth",
		access: "access-lent",
		refresh: "refresh-kept",
		expiresAt: clock.now + ms,
		...tokens,
	};
}
