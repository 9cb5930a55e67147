/** A provider that answers at once, in a process of its own as every provider: a short message, or a stream of 40 KB. */
import type { Service } from "./service.ts";

/** Events of the models `long` and `paced`. */
export const events = 400;
const pacedEvents = 40;
/** A model writes every few milliseconds. */
const paceMs = 20;

export const provider: Parameters<typeof Service.start>[0] = [process.execPath, import.meta.path];

const usage = { input_tokens: 10, output_tokens: 5 };
const message = {
	id: "msg_1",
	type: "message",
	role: "assistant",
	model: "m",
	content: [{ type: "text", text: "ok" }],
	stop_reason: "end_turn",
	usage,
};

function event(data: { type: string; [field: string]: unknown }): string {
	return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function* pieces(model: string): Generator<string> {
	const begun = { ...message, content: [], stop_reason: null };
	const block = { type: "text", text: "" };
	yield event({ type: "message_start", message: begun }) +
		event({ type: "content_block_start", index: 0, content_block: block });
	const delta = { type: "text_delta", text: "words ".repeat(5) };
	const count = model === "paced" ? pacedEvents : events;
	for (let at = 0; at < count; at++) yield event({ type: "content_block_delta", index: 0, delta });
	yield event({ type: "content_block_stop", index: 0 }) +
		event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage }) +
		event({ type: "message_stop" });
}

async function answer(request: Request): Promise<Response> {
	const { stream, model } = (await request.json()) as { stream?: boolean; model: string };
	if (!stream) return Response.json(message);
	const encoder = new TextEncoder();
	const all = pieces(model);
	let isFirst = true;
	const body = new ReadableStream<Uint8Array>({
		async pull(controller) {
			if (model === "paced" && !isFirst) await Bun.sleep(paceMs);
			isFirst = false;
			const { value, done } = all.next();
			if (done) controller.close();
			else controller.enqueue(encoder.encode(value));
		},
	});
	return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

if (import.meta.main) {
	const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: answer });
	process.stderr.write(`at ${server.url.origin}\n`);
}
