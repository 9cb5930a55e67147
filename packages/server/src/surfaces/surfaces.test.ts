/** How long components of extensions stay open for clients whose connection was lost. */
import { afterEach, expect, jest, test } from "bun:test";

import { UserRequests, type Attached, type SessionHost } from "@tau/session/host";

import { limits } from "./limits.ts";
import { Surfaces } from "./surfaces.ts";

afterEach(() => void jest.useRealTimers());

const facts = {
	columns: 80,
	rows: 24,
	theme: { name: "dark", appearance: "dark", mode: "none", colors: {} },
	expandTools: false,
	hyperlinks: false,
} as const;

/** Of the session, what surfaces ask for here: they follow its events, and nothing happens in it. */
function newSurfaces(): Surfaces {
	const host: Partial<SessionHost> = { attach: () => connection(""), requests: new UserRequests() };
	return new Surfaces({ host: host as SessionHost, extensions: () => undefined, agentDir: "/nonexistent" });
}

function connection(id: string): Attached {
	return {
		info: { id, name: id, rights: "control", kinds: [] },
		isFull: false,
		settled: async () => {},
		respond() {},
		showComponents() {},
		resume() {},
		[Symbol.dispose]() {},
	};
}

interface Opened {
	readonly lost: Disposable;
	/** How it ended; undefined while it is open. */
	readonly outcome: () => { result: unknown } | undefined;
	isDisposed(): boolean;
}

/** A client that joins and opens a component. */
async function opened(surfaces: Surfaces, id: string): Promise<Opened> {
	const client = await surfaces.client(id);
	const lost = client.connect(connection(id));
	await client.show(facts);
	await client.draw({ open: [], close: [] });
	let outcome: { result: unknown } | undefined;
	let isDisposed = false;
	const component = {
		render: () => ["open"],
		invalidate() {},
		dispose() {
			isDisposed = true;
		},
	};
	void client.surface
		?.custom(() => component)
		.then((result) => {
			outcome = { result };
		});
	await settled();
	return { lost, outcome: () => outcome, isDisposed: () => isDisposed };
}

async function settled(): Promise<void> {
	for (let hops = 0; hops < 20; hops++) await Promise.resolve();
}

test("a component is closed when its client has not come back in time, and not before", async () => {
	const surfaces = newSurfaces();
	const { lost, outcome, isDisposed } = await opened(surfaces, "one");
	jest.useFakeTimers();
	lost[Symbol.dispose]();
	jest.advanceTimersByTime(limits.lostMs - 1);
	await settled();
	expect(outcome()).toBeUndefined();
	jest.advanceTimersByTime(1);
	await settled();
	expect(outcome()).toEqual({ result: undefined });
	expect(isDisposed()).toBe(true);
	expect(surfaces.isShown).toBe(false);
});

test("a client that is back has all the time again", async () => {
	const surfaces = newSurfaces();
	const { lost, outcome } = await opened(surfaces, "one");
	jest.useFakeTimers();
	lost[Symbol.dispose]();
	jest.advanceTimersByTime(limits.lostMs - 1);
	const client = await surfaces.client("one");
	const again = client.connect(connection("one"));
	jest.advanceTimersByTime(2 * limits.lostMs);
	await settled();
	expect(outcome()).toBeUndefined();
	again[Symbol.dispose]();
	jest.advanceTimersByTime(limits.lostMs);
	await settled();
	expect(outcome()).toEqual({ result: undefined });
});

test("of too many lost clients the first are forgotten, and all when the session is not served any more", async () => {
	const surfaces = newSurfaces();
	const all: Opened[] = [];
	for (let at = 0; at <= limits.lostClients; at++) all.push(await opened(surfaces, `client ${at}`));
	for (const { lost } of all) lost[Symbol.dispose]();
	await settled();
	expect(all.map(({ isDisposed }) => isDisposed())).toEqual(all.map((_, at) => at === 0));
	surfaces.close();
	await settled();
	expect(all.every(({ isDisposed }) => isDisposed())).toBe(true);
	expect(surfaces.isShown).toBe(false);
});

test("nothing is kept for a client that has nothing open", async () => {
	const surfaces = newSurfaces();
	const client = await surfaces.client("one");
	const lost = client.connect(connection("one"));
	await client.show(facts);
	await client.draw({ open: [], close: [] });
	expect(surfaces.isShown).toBe(true);
	lost[Symbol.dispose]();
	expect(surfaces.isShown).toBe(false);
	expect(await surfaces.client("one")).not.toBe(client);
});
