/** Connections between processes of this machine, over a Unix socket in a directory of the user alone. */
import { readdirSync, rmSync, statSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";

import { livingOwner } from "@tau/utils";

import { net } from "../node-library.ts";

/** What is older, and has no owner, was left by a process that was killed. */
const leftAfterMs = 24 * 60 * 60_000;

/** Replaces a socket that is left at this path: the caller holds a lock for it. Disposal ends listening, not the connections. */
export async function listenLocally(path: string, onSocket: (socket: Socket) => void): Promise<Disposable> {
	rmSync(path, { force: true });
	const server = net().createServer((socket) => {
		socket.on("error", () => socket.destroy());
		onSocket(socket);
	});
	const ready = Promise.withResolvers<void>();
	server.once("error", ready.reject);
	server.listen(path, () => ready.resolve());
	// It does not keep a finished program alive.
	server.unref();
	await ready.promise;
	return { [Symbol.dispose]: () => void server.close() };
}

/** Undefined if nobody listens there. */
export async function connectLocally(path: string): Promise<Socket | undefined> {
	const socket = net().createConnection(path);
	const { promise, resolve } = Promise.withResolvers<Socket | undefined>();
	socket.once("connect", () => resolve(socket));
	socket.on("error", () => {
		socket.destroy();
		resolve(undefined);
	});
	return await promise;
}

/** Removes sockets of processes that were killed, with their locks. `directory` has nothing else with such names. */
export function sweepSockets(directory: string): void {
	for (const name of readdirSync(directory)) {
		const [, stem] = /^([0-9a-f]+)\.sock$/.exec(name) ?? [];
		if (stem === undefined) continue;
		const [socket, lock] = [join(directory, name), join(directory, `${stem}.lock`)];
		const age = Date.now() - (statSync(socket, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
		if (age < leftAfterMs || livingOwner(lock)) continue;
		for (const path of [socket, lock]) rmSync(path, { force: true });
	}
}
