/** Programs that flood the proxy, or hold its connections: others still get through, and the user is not worn down. */
import { afterEach, expect, jest, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { limits } from "../limits.ts";
import type { NetworkRules } from "../profile.ts";
import { HostProxy } from "./proxy.ts";

interface Flood extends AsyncDisposable {
	/** Resolves with everything that the proxy sends until it closes the connection. */
	request(text: string): Promise<string>;
	open(): Socket;
}

async function flood(rules: NetworkRules): Promise<Flood> {
	const directory = mkdtempSync(join(tmpdir(), "tau-flood-"));
	const path = join(directory, "proxy");
	const proxy = await HostProxy.listen(path, rules);
	const sockets: Socket[] = [];
	const open = (): Socket => {
		const socket = connect(path).on("error", () => {});
		sockets.push(socket);
		return socket;
	};
	return {
		open,
		request(text) {
			const { promise, resolve } = Promise.withResolvers<string>();
			let received = "";
			const socket = open();
			socket.on("data", (chunk) => void (received += chunk.toString("latin1")));
			socket.on("close", () => resolve(received));
			socket.write(text);
			return promise;
		},
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) socket.destroy();
			await proxy[Symbol.asyncDispose]();
			rmSync(directory, { recursive: true, force: true });
		},
	};
}

/** Also of one that could not be opened. */
function closing(socket: Socket): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	socket.once("close", () => resolve());
	return promise;
}

const ask = (host: string): string => `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

test("hundreds of hosts at once are not hundreds of questions", async () => {
	const answers: (() => void)[] = [];
	await using proxy = await flood({
		allow() {
			const { promise, resolve } = Promise.withResolvers<boolean>();
			answers.push(() => resolve(false));
			return promise;
		},
	});
	const requests = Array.from({ length: 200 }, (_, at) => proxy.request(ask(`host-${at}.example`)));
	const refused = await Promise.race(requests);
	expect(refused).toContain("too many open questions about hosts");
	expect(answers).toHaveLength(limits.pendingHosts);
	for (const answer of answers) answer();
	expect((await Promise.all(requests)).every((text) => text.startsWith("HTTP/1.1 403"))).toBe(true);
});

test("a host that was declined is not asked about again by a program that retries, until a rule names it", async () => {
	let asked = 0;
	let isNamed = false;
	await using proxy = await flood({
		allow: () => {
			asked++;
			return false;
		},
		allowsLocal: () => isNamed,
	});
	for (let at = 0; at < 5; at++) expect(await proxy.request(ask("again.example"))).toContain("403");
	expect(asked).toBe(1);
	isNamed = true;
	await proxy.request(ask("again.example"));
	expect(asked).toBe(2);
});

afterEach(() => void jest.useRealTimers());

test("a connection without a whole head is closed after a time; one that waits for the user is not", async () => {
	jest.useFakeTimers();
	const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()];
	await using proxy = await flood({
		allow() {
			asked.resolve();
			return answer.promise;
		},
	});
	const slow = proxy.open();
	const closed = closing(slow);
	slow.write("GET http://slow.example/ HTTP/1.1\r\n");
	// The connections are served in their order, so that the slow one is known when the question is there.
	const waiting = proxy.request(ask("waiting.example"));
	await asked.promise;
	jest.advanceTimersByTime(limits.proxyHeadMs + 1);
	await closed;
	answer.resolve(false);
	expect(await waiting).toContain("403 Forbidden");
});

test("a head that arrives byte by byte is cut off, and connections beyond the bound are closed", async () => {
	await using proxy = await flood({ allow: () => false });
	const slow = proxy.open();
	slow.write("GET http://");
	while (!slow.closed) {
		slow.write("a");
		await new Promise(setImmediate);
	}
	const many = Array.from({ length: limits.proxyConnections * 2 }, () => proxy.open());
	const beyond = many.map(closing);
	await Promise.any(beyond);
	for (const socket of many) socket.destroy();
	await Promise.all(beyond);
	let text = "";
	// The proxy learns of closed connections a moment later.
	while (text === "") text = await proxy.request(ask("after.example"));
	expect(text).toContain("403 Forbidden");
});
