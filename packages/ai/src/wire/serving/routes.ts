/** The addresses under which a server's models answer, each with the protocol of its clients. */
import { string, type Json } from "../../json.ts";
import { namedModel } from "../tau-gateway/serve.ts";
import { servedProtocols } from "./table.ts";
import type { ServedProtocol } from "./types.ts";

export interface ModelRoute {
	protocol: ServedProtocol;
	/** The model that the request names, in its body or in its address. */
	model(body: Json): string;
	/** What the address says that other protocols say in the body. */
	fields: Json;
	/** The provider's path for the same request, below its base URL. */
	path(modelId: string): string;
	/** The client only asks how many tokens the request has. */
	isCount?: true;
	/** The client reads a stream as one JSON list. */
	isList?: true;
	/** No conversation: the bytes are passed on, whatever the protocol of the provider's models. */
	isOther?: true;
}

const named = (protocol: ServedProtocol, path: string, more: Partial<ModelRoute> = {}): ModelRoute => ({
	protocol,
	model: (body) => string(body.model),
	fields: {},
	path: () => path,
	...more,
});

const { messages, completions, responses, tau, pi } = servedProtocols;
const routes: Readonly<Record<string, ModelRoute>> = {
	"/messages": named(messages, "/v1/messages"),
	"/messages/count_tokens": named(messages, "/v1/messages/count_tokens", { isCount: true }),
	"/chat/completions": named(completions, "/chat/completions"),
	"/responses": named(responses, "/responses"),
	"/stream": named(tau, "/v1/stream", { model: namedModel }),
	// omp's own.
	"/pi/stream": named(pi, "/v1/pi/stream", { model: namedModel }),
	// No model of a conversation answers these.
	"/embeddings": named(completions, "/embeddings", { isOther: true }),
	"/images/generations": named(completions, "/images/generations", { isOther: true }),
};

/** `models/NAME:method`, as Google's clients write it. */
const google = /^(?:\/v1beta1?|\/v1)?\/models\/(.+):(generateContent|streamGenerateContent|countTokens)$/;

/** Undefined for an address that is none of a model. */
export function modelRoute({ pathname, searchParams }: URL): ModelRoute | undefined {
	// Clients are configured with and without the version in their base URL.
	const path = pathname.replace(/^\/v1(?=\/)/, "");
	if (Object.hasOwn(routes, path)) return routes[path];
	const [, name, method] = google.exec(pathname) ?? [];
	const model = name === undefined ? undefined : decoded(name);
	if (model === undefined) return undefined;
	// Nothing else of the query is the provider's business: clients may put their key there.
	const isEvents = searchParams.get("alt") === "sse";
	const stream = method === "streamGenerateContent";
	// Providers are asked for events in any case: their counts of tokens can be read while they pass.
	const form = isEvents || stream ? "?alt=sse" : "";
	return {
		protocol: servedProtocols.google,
		model: () => model,
		fields: { model, stream },
		path: (id) => `/models/${encodeURIComponent(id)}:${method}${form}`,
		...(stream && !isEvents ? { isList: true } : {}),
		...(method === "countTokens" ? { isCount: true } : {}),
	};
}

/** A part of an address; undefined if it is not UTF-8, so that nothing has this name. */
export function decoded(part: string): string | undefined {
	try {
		return decodeURIComponent(part);
	} catch {
		return undefined;
	}
}
