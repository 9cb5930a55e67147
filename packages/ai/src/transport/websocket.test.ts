/** A websocket is known to be dead before a request waits for it. */
import { expect, test } from "bun:test";

import { acceptance } from "../testing/websocket.ts";
import { WebSocketLine } from "./websocket.ts";

/** A server that accepts websockets; what comes on them is read by nobody. */
function mute(): Bun.TCPSocketListener<undefined> {
	return Bun.listen<undefined>({
		hostname: "127.0.0.1",
		port: 0,
		socket: {
			data(socket, bytes) {
				const key = /sec-websocket-key: (\S+)/i.exec(bytes.toString("latin1"))?.[1];
				if (key !== undefined) socket.write(acceptance(key, {}));
			},
		},
	});
}

const { signal } = new AbortController();
const opening = (port: number) => ({ url: `http://127.0.0.1:${port}/`, headers: new Headers(), signal });

test("a server that answers is told from a way that was cut without a word", async () => {
	await using server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: (request, self) => (self.upgrade(request) ? undefined : new Response("")),
		websocket: { message: () => {} },
	});
	using alive = await WebSocketLine.open(opening(server.port ?? 0));
	expect(await alive?.responds(20_000)).toBe(true);
	using dead = mute();
	using line = await WebSocketLine.open(opening(dead.port));
	expect(await line?.responds(20)).toBe(false);
});

test("a server that refuses, or that is not there, gives no websocket", async () => {
	await using server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: () => new Response("", { status: 403 }),
	});
	expect(await WebSocketLine.open(opening(server.port ?? 0))).toBeUndefined();
	expect(await WebSocketLine.open({ ...opening(1), signal: AbortSignal.abort() })).toBeUndefined();
	expect(await WebSocketLine.open(opening(1))).toBeUndefined();
});
