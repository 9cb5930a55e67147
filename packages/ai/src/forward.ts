/** Sends the bytes of a client's own request to a model of the same protocol, and gives back the server's own bytes. */
import { authorizer } from "./auth/index.ts";
import { modelAt, type Access } from "./access.ts";
import { failure } from "./failure.ts";
import { MessageBuilder } from "./message-builder.ts";
import { eventParser } from "./parse/index.ts";
import { connectionTo, endpoint, lost } from "./transport/index.ts";
import type { Failure, Model, Usage } from "./types.ts";
import type { Codec } from "./wire/codec.ts";
import { codecFor } from "./wire/table.ts";

export interface ForwardedRequest {
	model: Model;
	access: Access;
	/** Below the base URL. */
	path: string;
	body: string;
	/** Headers of the client that belong to the protocol. */
	headers: Record<string, string>;
	signal: AbortSignal;
}

/** The server's answer, whatever its status; a failure if there was none. */
export async function forward({
	model,
	access,
	path,
	body,
	headers,
	signal,
}: ForwardedRequest): Promise<Response | Failure> {
	const codec = await codecFor(model.api);
	if (!codec) return failure("invalid_request", `No protocol named "${model.api}"`);
	const target = modelAt(model, access);
	const url = endpoint(codec.baseUrl?.(target, process.env) ?? target.baseUrl, path);
	const request = { url, headers: new Headers(headers), body };
	// What the vendor requires is added, if the client did not think of it.
	const required = { "content-type": "application/json", ...codec.headers(target, { messages: [] }, {}) };
	for (const [name, value] of Object.entries(required))
		if (!request.headers.has(name)) request.headers.set(name, value);
	const { apiKey } = access;
	const refused = await authorizer(codec.auth)(request, {
		model: target,
		env: process.env,
		signal,
		...(apiKey === undefined ? {} : { apiKey }),
	});
	if (refused) return refused;
	for (const [name, value] of Object.entries({ ...model.headers, ...access.headers }))
		request.headers.set(name, value);
	const connection = await connectionTo(request.url);
	if ("problem" in connection) return failure("invalid_request", connection.problem);
	try {
		return await fetch(request.url, {
			method: "POST",
			headers: request.headers,
			body,
			signal,
			// Following a redirect would hand the key to any server that is named.
			redirect: "manual",
			timeout: false,
			...connection.init,
		} satisfies BunFetchRequestInit);
	} catch (error) {
		if (signal.aborted) return failure("unknown", "Request was aborted");
		return lost(error, { url: request.url, ...connection }, undefined);
	}
}

/** Reads the token counts out of bytes that pass: only events that name them are decoded. */
export class UsageProbe {
	readonly #builder: MessageBuilder;
	readonly #decoder: ReturnType<Codec["decoder"]>;
	readonly #parser = eventParser("sse");

	private constructor(model: Model, codec: Codec) {
		this.#builder = new MessageBuilder(model);
		this.#decoder = codec.decoder(this.#builder);
	}

	static async of(model: Model): Promise<UsageProbe | undefined> {
		const codec = await codecFor(model.api);
		return codec && new UsageProbe(model, codec);
	}

	/** With the cost by the model's prices. */
	get usage(): Usage {
		return this.#builder.message.usage;
	}

	take(chunk: Uint8Array): void {
		for (const event of this.#parser.push(chunk).events)
			if (event.data.includes('"usage')) this.#decoder.event(event);
	}

	/** An answer that was not streamed. */
	document(data: string): void {
		this.#decoder.event({ event: "", data });
	}
}
