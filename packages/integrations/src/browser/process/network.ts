/** The network of a browser that no sandbox contains: a proxy that asks about addresses which are not public. */
import type { RefusedHost } from "@tau/machines/sandbox";
import { HostProxy } from "@tau/machines/network";

import { isPublicAddress } from "@tau/tools/fetch";
import { limits } from "../limits.ts";
import type { RequestPrivate } from "../private-targets.ts";
import type { ToolEnv } from "@tau/tools/tool";

export class BrowserNetwork implements AsyncDisposable {
	readonly #settings: ToolEnv["settings"];
	readonly #request: RequestPrivate;
	readonly #closing = new AbortController();
	/** Hosts with their ports that a call has opened, after the approval of the call, and when. */
	readonly #opened = new Map<string, number>();
	readonly #answers = new Map<string, Promise<boolean>>();
	#proxy: HostProxy | undefined;
	#pending = 0;

	constructor(settings: ToolEnv["settings"], request: RequestPrivate) {
		this.#settings = settings;
		this.#request = request;
	}

	/** The port of the proxy. */
	async listen(): Promise<number> {
		this.#proxy ??= await HostProxy.listenAtPort({
			allow: () => true,
			allowsAddress: (target) => this.#allows(target),
		});
		return this.#proxy.port ?? 0;
	}

	/** Whether a connection waits for an answer of the user. */
	get isAsking(): boolean {
		return this.#pending > 0;
	}

	/** A call opens this address: what its pages reach themselves, also at another port, is asked about all the same. */
	opens(url: URL): void {
		const host = url.hostname.replace(/^\[|\]$/g, "");
		const name = placeOf(host, Number(url.port) || (url.protocol === "https:" ? 443 : 80));
		this.#opened.delete(name);
		this.#opened.set(name, performance.now());
		const [oldest] = this.#opened.keys();
		if (oldest !== undefined && this.#opened.size > limits.answers) this.#opened.delete(oldest);
		// A no from before was about a page.
		for (const key of this.#answers.keys()) if (key.startsWith(`${name} `)) this.#answers.delete(key);
	}

	/** Whether the connections of now belong to a call that opens this host. */
	hasJustOpened(host: string): boolean {
		const since = performance.now() - limits.openedMs;
		const ofHost = [...this.#opened].filter(([place]) => place.startsWith(placeOf(host, "")));
		return ofHost.some(([, at]) => at > since);
	}

	refusedSince(at: number): readonly RefusedHost[] {
		return this.#proxy?.refusedSince(at) ?? [];
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closing.abort();
		await this.#proxy?.[Symbol.asyncDispose]();
	}

	/** As for `fetch`: the public internet is allowed, and everything else is not unless the user wants it. */
	async #allows({ host, port, address }: { host: string; port: number; address: string }): Promise<boolean> {
		if (isPublicAddress(address) || this.#settings.get("fetch.allowPrivate")) return true;
		// An answer is for a host, its port and its address: a name that means another one later is asked about again.
		const key = `${placeOf(host, port)} ${address}`;
		const known = this.#answers.get(key);
		if (known) return await known;
		// A page that tries one address after the other gets no more questions.
		if (this.#pending >= limits.questions || this.#answers.size >= limits.answers) return false;
		const answer = this.#ask({ host, port, address });
		this.#answers.set(key, answer);
		return await answer;
	}

	async #ask(target: { host: string; port: number; address: string }): Promise<boolean> {
		this.#pending++;
		try {
			const isOpened = this.#opened.has(placeOf(target.host, target.port));
			return await this.#request({ ...target, isOpened }, this.#closing.signal);
		} catch {
			// The session has ended: nobody has said yes.
			return false;
		} finally {
			this.#pending--;
		}
	}
}

function placeOf(host: string, port: number | ""): string {
	return `${host.toLowerCase()}:${port}`;
}
