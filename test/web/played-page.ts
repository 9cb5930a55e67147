/** What the tests of one file about the page share: a played host with its sessions, and Chromium. */
import { afterAll, afterEach, beforeAll } from "bun:test";

import { factsOf, MockSession, startMockHost, type MockHost } from "@tau/web/testing";

import { lazyChromium, type Chromium } from "./chromium.ts";

export interface PlayedPage {
	readonly host: MockHost;
	/** Its pages are closed after each test. */
	readonly chromium: Chromium;
	/** Adds a session without commands to the host. */
	played(id: string, name?: string, facts?: Parameters<typeof factsOf>[2]): MockSession;
	/** The address of a session. */
	addressOf(id: string): string;
}

export interface PlayedPageOptions {
	sessions?: readonly MockSession[];
	/** Needs what Chromium has with its windows alone (test/support/headless-shell.ts). */
	isWhole?: boolean;
}

/** Called while the file is loaded: host and Chromium end after its tests. */
export async function playedPage({ sessions = [], isWhole }: PlayedPageOptions = {}): Promise<PlayedPage> {
	const host = await startMockHost(sessions);
	const chromium = lazyChromium({ isWhole });
	beforeAll(async () => {
		// Its start is no part of the first test. Without it, the tests are skipped.
		if (Bun.which("chromium") !== null) await chromium.browser();
	}, 60_000);
	afterEach(() => chromium.closePages());
	afterAll(async () => {
		await chromium[Symbol.asyncDispose]();
		await host[Symbol.asyncDispose]();
	});
	return {
		host,
		chromium,
		played(id, name = id, facts) {
			const session = new MockSession(factsOf(id, name, facts));
			session.handlers.list_commands = () => ({ commands: [] });
			host.sessions.set(id, session);
			return session;
		},
		addressOf: (id) => `${host.url}#/s/${id}`,
	};
}
