/**
 * A server without a user interface: `POST /api/prompt` with `{ "prompt", "sessionId" }` is answered with the events of
 * the run as `data:` lines. The same id continues the conversation; closing the connection stops the run.
 */
import { createAgentSession, SessionManager } from "@tau/coding-agent";

/** Whoever has it can run commands here: a page in a browser of this machine must not be able to. */
const token = process.env.TOKEN ?? crypto.randomUUID();
/** Conversations that are kept; the one that was used least recently is closed. */
const most = 16;
const sessions = new Map<string, ReturnType<typeof createAgentSession>>();

async function sessionOf(id: string): ReturnType<typeof createAgentSession> {
	const session = sessions.get(id) ?? createAgentSession({ sessionManager: SessionManager.inMemory() });
	sessions.delete(id);
	sessions.set(id, session);
	const [oldest] = sessions.keys();
	if (sessions.size > most && oldest !== undefined) {
		const left = sessions.get(oldest);
		sessions.delete(oldest);
		await (await left)?.[Symbol.asyncDispose]();
	}
	return await session;
}

async function answer(request: Request): Promise<Response> {
	if (request.headers.get("authorization") !== `Bearer ${token}`) return new Response(null, { status: 401 });
	const { prompt, sessionId } = (await request.json()) as { prompt?: unknown; sessionId?: unknown };
	if (typeof prompt !== "string" || typeof sessionId !== "string") return new Response(null, { status: 400 });
	const { session } = await sessionOf(sessionId);
	if (session.state.isStreaming) return new Response("The session is busy.", { status: 409 });
	let listening: Disposable | undefined;
	const events = new ReadableStream<string>({
		async start(controller) {
			const send = (event: object): void => controller.enqueue(`data: ${JSON.stringify(event)}\n\n`);
			listening = session.subscribe(send);
			try {
				await session.prompt({ text: prompt });
				controller.close();
			} catch (error) {
				send({ type: "error", message: error instanceof Error ? error.message : String(error) });
				controller.close();
			} finally {
				listening[Symbol.dispose]();
			}
		},
		async cancel() {
			listening?.[Symbol.dispose]();
			await session.abort();
		},
	});
	return new Response(events.pipeThrough(new TextEncoderStream()), {
		headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
	});
}

const server = Bun.serve({
	hostname: "127.0.0.1",
	port: Number(process.env.PORT ?? 0),
	// A tool may run for long without an event.
	idleTimeout: 0,
	routes: { "/api/prompt": { POST: answer } },
	fetch: () => new Response(null, { status: 404 }),
});
process.stdout.write(`${server.url.origin} ${token}\n`);
