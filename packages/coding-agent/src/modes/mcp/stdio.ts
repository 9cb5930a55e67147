/** Serves one MCP client on standard input and output, until either of them closes. */
import { Writable } from "node:stream";

import { serveStdio as serveConnection, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { listen, log } from "@tau/utils";

import type { Output } from "../output.ts";
import { limits } from "./limits.ts";
import type { Workspace } from "./workspace.ts";

export async function serveStdio(
	workspace: Workspace,
	out: Pick<Output, "write">,
	signal: AbortSignal,
): Promise<void> {
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
		onerror: (error) => log.warn("an MCP client sent something wrong", { reason: error.message }),
	});
	using _ = listen(signal, "abort", () => closed.resolve());
	if (signal.aborted) closed.resolve();
	await closed.promise;
	await handle.close();
	// A pipe that is still being read from would keep the process alive.
	process.stdin.destroy();
}
