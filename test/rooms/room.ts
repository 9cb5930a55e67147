/** A relay, a host in a terminal and guests in others, as processes of the real program. */
import { startRelay, type Relay } from "@tau/relay";
import type { Scenario } from "@tau/ai/testing";

import { openTau, type OpenOptions, type OpenTau } from "../interactive/driver.ts";

export interface SharedTau extends AsyncDisposable {
	readonly relay: Relay;
	/** The address of the relay as `/collab` takes it. */
	readonly address: string;
	readonly host: OpenTau;
	/** The link of the first `/collab`. */
	readonly link: string;
}

/** A session that is shared. */
export async function share(scenario: Scenario, options: OpenOptions = {}): Promise<SharedTau> {
	const relay = await startRelay({ bind: "127.0.0.1:0" });
	const address = relay.url.replace("http", "ws");
	// A terminal in which links can be clicked, and a host whose name no guest has, whoever runs the tests.
	const env = { VTE_VERSION: "7800", USER: "host", ...options.env };
	const host = await openTau(scenario, { cols: 140, ...options, env });
	await host.until("played-1");
	host.type(`/collab ${address}\r`);
	await host.until("tau join");
	return {
		relay,
		address,
		host,
		link: linkOn(host),
		async [Symbol.asyncDispose]() {
			await host[Symbol.asyncDispose]();
			await relay[Symbol.asyncDispose]();
		},
	};
}

/** The last link on the screen, which may have wrapped. */
export function linkOn(tau: OpenTau, program = "tau"): string {
	const all = [
		...tau
			.scrollback()
			.replaceAll(/\s*\n\s*/g, "")
			.matchAll(/(\w+) join ?"([^"]+)"/g),
	];
	const link = all.findLast(([, joins]) => joins === program)?.[2];
	if (link === undefined) throw new Error(`no link: ${tau.scrollback()}`);
	return link.replaceAll(/\s/g, "");
}

/** `tau join` in a terminal of its own; it shares nothing with the host but the relay. */
export async function guest(
	link: string,
	{ name = "Guest", ...options }: OpenOptions & { name?: string } = {},
): Promise<OpenTau> {
	return await openTau(
		{ steps: [] },
		{
			anyModel: true,
			cols: 100,
			...options,
			args: ["join", ...link.split(" ")],
			settings: `collab:\n  displayName: ${name}\n`,
		},
	);
}
