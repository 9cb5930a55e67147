/** Connections between processes of this machine, over a Unix socket in a directory of the user alone. */
import { rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";

/** Replaces a socket that is left at this path: the caller holds a lock for it. Disposal ends listening, not the connections. */
export async function listenLocally(path: string, onSocket: (socket: Socket) => void): Promise<Disposable> {
	rmSync(path, { force: true });
	const server = createServer((socket) => {
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
	const socket = createConnection(path);
	const { promise, resolve } = Promise.withResolvers<Socket | undefined>();
	socket.once("connect", () => resolve(socket));
	socket.on("error", () => {
		socket.destroy();
		resolve(undefined);
	});
	return await promise;
}
