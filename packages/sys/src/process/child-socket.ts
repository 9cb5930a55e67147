/** A further descriptor of a child process, in both directions, without Node's streams, which take 4 ms to load. */

/** `descriptor` was given as `"pipe"` to `Bun.spawn`. The pipe ends with the child, whose end is reported elsewhere. */
export async function childSocket(
	{ stdio }: Bun.Subprocess,
	descriptor: number,
	onData: (chunk: Uint8Array) => void,
): Promise<Bun.Socket> {
	const fd = stdio[descriptor];
	if (typeof fd !== "number") throw new Error(`The process has no pipe at descriptor ${descriptor}.`);
	const socket = { data: (_: Bun.Socket, chunk: Uint8Array) => onData(chunk), error() {} };
	// Its types know addresses alone.
	return await Bun.connect({ fd, socket } as unknown as Bun.TCPSocketConnectOptions);
}
