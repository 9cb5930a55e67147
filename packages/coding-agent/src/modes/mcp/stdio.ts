/** Serves one MCP client on standard input and output, until either of them closes. */
import { Writable } from "node:stream";

import { serveStdio as serveConnection, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { listen, log } from "@tau/utils";

import type { Output } from "../output.ts";
import { limits } from "./limits.ts";
import type { Workspace } from "./workspace.ts";

export interface StdioOptions {
	out: Pick<Output, "write">;
	signal: AbortSignal;
	/** Called when the connection ends because of what the client sent. */
	onProblem(reason: string): void;
}

export async function serveStdio(
	workspace: Workspace,
	{ out, signal, onProblem }: StdioOptions,
): Promise<void> {
	let problem: string | undefined;
	const closed = Promise.withResolvers<void>();
	const sink = new Writable({
		decodeStrings: false,
		async write(text: string, _encoding, done) {
			await out.write(text);
			done();
		},
	});
	const transport = new StdioServerTransport(process.stdin, sink, { maxBufferSize: limits.messageBytes });
	const close = transport.close.bind(transport);
	// The transport closes itself at the end of the input, and after a message that is too long.
	transport.close = async () => {
		await close();
		closed.resolve();
	};
	const handle = serveConnection(workspace.serve, {
		transport,
		onerror: ({ message }) => {
			problem = message;
			log.warn("an MCP client sent something wrong", { reason: message });
		},
	});
	using _ = listen(signal, "abort", () => closed.resolve());
	if (signal.aborted) closed.resolve();
	await closed.promise;
	// The input is still open: the transport has given up.
	if (!signal.aborted && !process.stdin.readableEnded && problem !== undefined) onProblem(problem);
	await handle.close();
	// A pipe that is still being read from would keep the process alive.
	process.stdin.destroy();
}
