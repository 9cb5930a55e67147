/** A server of the oldest kind with an address: events come over one stream, messages are posted to another address. */
interface Message {
	id?: number;
	method: string;
	params?: { arguments?: { text?: string } };
}

export interface SseServer extends AsyncDisposable {
	readonly url: string;
}

export function serveOverEvents(): SseServer {
	let send = (_: string): void => {};
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		idleTimeout: 0,
		async fetch(request) {
			const { pathname } = new URL(request.url);
			if (pathname === "/sse" && request.method === "GET") {
				const stream = new ReadableStream<string>({
					start(controller) {
						send = (text) => controller.enqueue(text);
						send("event: endpoint\ndata: /messages\n\n");
					},
				});
				return new Response(stream, { headers: { "content-type": "text/event-stream" } });
			}
			if (pathname !== "/messages") return new Response("no", { status: 405 });
			const message = (await request.json()) as Message;
			if (message.id !== undefined) send(`event: message\ndata: ${JSON.stringify(answer(message))}\n\n`);
			return new Response("", { status: 202 });
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}/sse`,
		async [Symbol.asyncDispose]() {
			await server.stop(true);
		},
	};
}

function answer({ id, method, params }: Message): object {
	const text = `over events: ${params?.arguments?.text}`;
	const results: Record<string, object> = {
		initialize: {
			protocolVersion: "2024-11-05",
			capabilities: { tools: {} },
			serverInfo: { name: "old", version: "1" },
		},
		"tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
		"tools/call": { content: [{ type: "text", text }] },
	};
	return { jsonrpc: "2.0", id, result: results[method] ?? {} };
}
