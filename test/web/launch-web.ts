/** `tau web` of the real program, and a browser that was let in, as far as a server can tell. */
import type { Scenario } from "@tau/ai/testing";
import { RemoteSession, webSocketTransport } from "@tau/wire/remote";

import { launchLocal } from "../attach/local.ts";
import type { Launched } from "../support/launch.ts";

/** Enough of a browser: it keeps the cookie and the key, and says where it comes from. */
export class PlayedBrowser {
	readonly origin: string;
	readonly cookie: string;
	readonly key: string;

	constructor({ origin, cookie, key }: { origin: string; cookie: string; key: string }) {
		this.origin = origin;
		this.cookie = cookie;
		this.key = key;
	}

	static async open(link: string): Promise<PlayedBrowser> {
		const { origin, hash } = new URL(link);
		const response = await login(origin, hash.slice("#token=".length));
		if (!response.ok) throw new Error(`not let in: ${await response.text()}`);
		const { key } = (await response.json()) as { key: string };
		return new PlayedBrowser({ origin, cookie: cookieIn(response), key });
	}

	get headers(): Record<string, string> {
		return { origin: this.origin, cookie: this.cookie, "x-tau-key": this.key };
	}

	async api(method: string, path: string, body?: object): Promise<Response> {
		return await fetch(`${this.origin}${path}`, {
			method,
			headers: { ...this.headers, ...(body ? { "content-type": "application/json" } : {}) },
			...(body ? { body: JSON.stringify(body) } : {}),
		});
	}

	/** The JSON of an answer that has to be a good one. */
	async get<T>(path: string): Promise<T> {
		return await jsonOf<T>(await this.api("GET", path));
	}

	async post<T>(path: string, body: object): Promise<T> {
		return await jsonOf<T>(await this.api("POST", path, body));
	}

	socket(sessionId: string, headers: Record<string, string> = this.headers): WebSocket {
		const address = `${this.origin.replace("http", "ws")}/ws?session=${encodeURIComponent(sessionId)}`;
		// Bun's own option: a browser sends its headers by itself.
		return new WebSocket(address, { headers } as unknown as string[]);
	}

	/** Joins as the page does, over the same transport. */
	async join(sessionId: string, name = "browser"): Promise<RemoteSession> {
		return await RemoteSession.join({
			transport: webSocketTransport((id) => this.socket(id ?? sessionId), { key: this.key }),
			name,
			kinds: ["questions", "approval", "trust", "dialog"],
			lostMs: 60_000,
		});
	}
}

export async function login(origin: string, token: string, headers: object = {}): Promise<Response> {
	return await fetch(`${origin}/api/login`, {
		method: "POST",
		headers: { origin, "content-type": "application/json", ...headers },
		body: JSON.stringify({ token }),
	});
}

export function cookieIn(response: Response): string {
	return (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

async function jsonOf<T>(response: Response): Promise<T> {
	if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
	return (await response.json()) as T;
}

export interface LaunchedWeb extends Launched {
	readonly origin: string;
	readonly browser: PlayedBrowser;
	/** Another link, as `tau web` prints it. */
	link(): Promise<string>;
}

export async function launchWeb(scenario: Scenario): Promise<LaunchedWeb> {
	const tau = await launchLocal(scenario);
	const link = async (...args: string[]): Promise<string> => {
		const { code, out, err } = await tau.run(["web", "--no-open", "--json", ...args]);
		if (code !== 0) throw new Error(`tau web failed: ${out}${err}`);
		return (JSON.parse(out) as { link: string }).link;
	};
	const first = await link("--port", "0");
	const browser = await PlayedBrowser.open(first);
	return { ...tau, origin: browser.origin, browser, link: () => link() };
}

/** Waits, with a bound, until something holds of the events of a session. */
export async function untilView(session: RemoteSession, holds: () => boolean): Promise<void> {
	const done = Promise.withResolvers<void>();
	const look = (): void => {
		if (holds()) done.resolve();
	};
	using _events = session.subscribe(look);
	using _resets = session.onReset(look);
	using _states = session.onState(look);
	look();
	await done.promise;
}
